"""What a person looks at: trees as text, in Graphviz's language, as a page, as pictures."""
