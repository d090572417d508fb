// In the pages of the documentation: a live example is loaded when it is opened, and ends when it is closed. `make site`
// adds this to the pages that have one (docs/live.py).

const style = new CSSStyleSheet();
style.replaceSync(`
  details.live { margin: 1rem 0; }
  details.live > summary {
    cursor: pointer;
    width: fit-content;
    padding: 0.25rem 0.7rem;
    border: 1px solid currentColor;
    border-radius: 5px;
  }
  details.live > iframe { display: block; width: 100%; height: 30rem; margin-top: 0.5rem; border: 0; }
`);
document.adoptedStyleSheets.push(style);

const here = import.meta.url;

for (const details of document.querySelectorAll<HTMLDetailsElement>("details.live"))
  details.addEventListener("toggle", () => {
    details.querySelector("iframe")?.remove();
    if (!details.open) return;
    const frame = document.createElement("iframe");
    frame.title = details.querySelector("summary")?.textContent ?? "";
    frame.src = `${new URL("../live.html", here)}#${details.dataset.live}`;
    details.append(frame);
  });
