"""Cases that no memory holds: coded once, counted pass by pass, wherever they are."""
