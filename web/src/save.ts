// The buttons that save a view as a picture.

import { announce, download, h, svg } from "./dom";

export function fileName(title: string, ending: string): string {
  return `${
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "headgate"
  }.${ending}`;
}

export function svgText(picture: SVGSVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}`;
}

async function png(picture: SVGSVGElement): Promise<Blob> {
  const width = Number(picture.getAttribute("width"));
  const height = Number(picture.getAttribute("height"));
  const url = URL.createObjectURL(new Blob([svgText(picture)], { type: "image/svg+xml" }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = h("canvas", { width: 2 * width, height: 2 * height });
    const paper = canvas.getContext("2d") as CanvasRenderingContext2D;
    paper.scale(2, 2);
    paper.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be drawn."))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function saveButtons(
  title: () => string,
  picture: () => SVGSVGElement,
  table?: () => Promise<void>,
): HTMLElement {
  const save = async (form: "png" | "svg"): Promise<void> => {
    const drawn = picture();
    const data = form === "svg" ? new Blob([svgText(drawn)], { type: "image/svg+xml" }) : await png(drawn);
    download(fileName(title(), form), data);
    announce(`Saved ${title()} as ${form.toUpperCase()}.`);
  };
  const button = (form: "png" | "svg"): HTMLElement =>
    h(
      "button",
      {
        type: "button",
        class: "small",
        "aria-label": `Save as ${form.toUpperCase()}`,
        title: `Save this picture as ${form.toUpperCase()}`,
        onclick: () =>
          void save(form).catch((error: unknown) => announce(`The picture was not saved: ${String(error)}`)),
      },
      arrow(),
      form.toUpperCase(),
    );
  const csv =
    table &&
    h(
      "button",
      {
        type: "button",
        class: "small",
        "aria-label": "Save as CSV",
        title: "Save the data of this view as CSV",
        onclick: () => void table().catch((error: unknown) => announce(`The data were not saved: ${String(error)}`)),
      },
      arrow(),
      "CSV",
    );
  return h("span", { class: "saves" }, button("png"), button("svg"), csv);
}

function arrow(): SVGSVGElement {
  return svg(
    "svg",
    { width: 10, height: 10, viewBox: "0 0 10 10", "aria-hidden": "true" },
    svg("path", { d: "M5 0v6M2 4l3 3 3-3M1 9.5h8", stroke: "currentColor", fill: "none", "stroke-width": 1.3 }),
  );
}
