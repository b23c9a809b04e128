for (const cell of document.querySelectorAll(".ctree-cell:not([data-ready])")) {
  cell.dataset.ready = "";
  const search = cell.querySelector(".ctree-search");
  if (!search) continue;
  search.hidden = false;
  const input = search.querySelector("input");
  const found = search.querySelector(".ctree-found");
  const items = [...cell.querySelectorAll(".ctree-item")];
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    let hits = 0;
    for (const item of items) {
      const hit = wanted !== "" && item.textContent.toLowerCase().includes(wanted);
      item.classList.toggle("ctree-hit", hit);
      if (!hit) continue;
      hits += 1;
      // what is around it is unfolded, so that it can be seen; of a heading not what is below it
      let around = item.tagName === "SUMMARY" ? item.parentElement.parentElement : item.parentElement;
      for (; around && around !== cell; around = around.parentElement) {
        if (around.tagName === "DETAILS") around.open = true;
      }
    }
    found.textContent = wanted === "" ? "" : hits + " found";
  });
  for (const button of search.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      for (const part of cell.querySelectorAll(".ctree-folding details")) part.open = button.value === "unfold";
    });
  }
}
