import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import { upload } from "@sallyport/client/files";
import type { Page } from "playwright-core";
import { accessibilityFaults, administrator, OpenConsole } from "../open-console.ts";

interface PdfPage {
  readonly text?: string;
  /** The filter of a black square, and its bytes in hexadecimal digits. */
  readonly square?: readonly [filter: string, parameters: string, hexadecimal: string];
}

/** A PDF with a line of text or a black square on each page. */
function pdfOf(pages: readonly PdfPage[]): string {
  const streamOf = (dictionary: string, content: string) =>
    `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_page, index) => `${4 + 3 * index} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap(({ text, square: [filter, parameters, bytes] = ["", "", ""] }, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> /XObject << /I1 ${6 + 3 * index} 0 R >> >> /Contents ${5 + 3 * index} 0 R >>`,
      streamOf("", text === undefined ? "q 100 0 0 100 20 20 cm /I1 Do Q" : `BT /F1 24 Tf 20 100 Td (${text}) Tj ET`),
      streamOf(
        `/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray ${parameters} /Filter [/ASCIIHexDecode /${filter}]`,
        `${bytes}>`,
      ),
    ]),
  ];
  let text = "%PDF-1.5\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
}

/** Black squares as scanners write them. */
const fax = [
  "CCITTFaxDecode",
  "/BitsPerComponent 1 /DecodeParms [null << /K -1 /Columns 8 /Rows 8 >>]",
  "26a2fffe",
] as const;
const jpeg2000 = [
  "JPXDecode",
  "/BitsPerComponent 8",
  "ff4fff510029000000000008000000080000000000000000000000080000000800000000000000000001070101ff52000c00020001000104040001ff5c00074040484850ff640025000143726561746564206279204f70656e4a5045472076657273696f6e20322e352e34ff90000a0000000000160001ff93df80201150499f80ffd9",
] as const;

/** Of each canvas, whether something on it is dark. */
const inked = `[...document.querySelectorAll("canvas")].map((canvas) => canvas.getContext("2d")
  .getImageData(0, 0, canvas.width, canvas.height).data.some((value, index) => index % 4 === 0 && value < 100))`;

/** A picture that is drawn twice for each of its levels. */
const nestedSvg = `<svg xmlns="http://www.w3.org/2000/svg"><rect id="a" width="9" height="9"/><g id="b"><use href="#a"/><use href="#a"/></g></svg>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>document.title = "run"</script></svg>`;

/** Previews of files in the form of an object. */
describe("files in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    page = await opened.logIn();
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const dialog = (tab = page) => tab.getByRole("dialog");
  /** Opens the preview of a file in the form of an invoice. */
  const openPreview = async (
    bytes: string | Uint8Array,
    name: string,
    type: string,
    tab = page,
    action = "Preview",
  ) => {
    const file = await upload(client, new File([bytes], name, { type }));
    const number = `invoice ${randomUUID()}`;
    const { "~Elements": customers } = await client.listObjects("Customer", { perPage: 1 });
    const { "~ObjectID": id } = await client.createObject("Invoice", {
      Number: number,
      Customer: customers[0]?.["~ObjectID"],
      Document: file["~ObjectID"],
    });
    await tab.goto(`${opened.address}#/classes/Invoice/${id}`);
    await tab.getByRole("group", { name: "Document", exact: true }).getByText(action, { exact: true }).click();
    await dialog(tab).getByRole("heading", { name }).waitFor();
  };

  test("a text shows its beginning, with signs for what has none", async () => {
    await openPreview(`top\n\u202egnp.exe\n${"line\n".repeat(20_000)}`, "notes.txt", "text/plain");
    await dialog().getByText("The first 65.5kB of 100kB.").waitFor();
    await dialog().getByText("[U+202E]gnp.exe").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("markup shows as a text", async () => {
    await openPreview("<h1>markup</h1><script>document.title = 'run'</script>", "page.html", "text/html");
    await dialog().getByText("<h1>markup</h1>").waitFor();
    expect(await page.title()).not.toBe("run");
  });

  test("an SVG that repeats parts of itself shows as a text", async () => {
    await openPreview(nestedSvg, "nested.svg", "image/svg+xml");
    await dialog().getByText('<use href="#a"/>').waitFor();
    expect(await dialog().getByRole("img", { name: "The image of the file" }).count()).toBe(0);
  });

  test("an image shows as a picture, whose address ends", async () => {
    await openPreview(svg, "picture.svg", "image/svg+xml");
    const image = dialog().getByRole("img", { name: "The image of the file" });
    await image.waitFor();
    await page.locator("[role=dialog] img[src^=blob]").waitFor();
    await page.evaluate("document.querySelector('[role=dialog] img').decode()");
    expect(await page.evaluate("document.querySelector('[role=dialog] img').naturalWidth")).toBe(40);
    const again = (address: string) => `new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve("loaded");
      image.onerror = () => resolve("gone");
      image.src = ${JSON.stringify(address)};
    })`;
    const address = String(await image.getAttribute("src"));
    expect(address).toMatch(/^blob:/);
    expect(await page.evaluate(again(address))).toBe("gone");
    // The browser reports the attempt.
    opened.reports.splice(0);
    expect(await page.title()).not.toBe("run");
  });

  test.each([
    ["light", 1_280, "en-US", "Preview", "Page 1 of 2", "Next"],
    ["dark", 390, "de-DE", "Vorschau", "Seite 1 von 2", "Weiter"],
  ] as const)("a PDF shows its pages in the %s scheme at %i px", async (scheme, width, locale, action, first, next) => {
    const tab = await opened.logIn({ scheme, width, locale });
    await openPreview(
      pdfOf([{ text: "Hello, PDF" }, { text: "The end" }]),
      "letter.pdf",
      "application/pdf",
      tab,
      action,
    );
    await dialog(tab).getByText("Hello, PDF").waitFor({ state: "attached" });
    await dialog(tab).getByText(first).waitFor();
    expect(await tab.evaluate(inked)).toEqual([true]);
    expect(await accessibilityFaults(tab)).toEqual([]);
    expect(await tab.locator("style").count()).toBe(0);
    await dialog(tab).getByRole("button", { name: next }).press("Enter");
    await dialog(tab).getByText("The end").waitFor({ state: "attached" });
    await tab.context().close();
  });

  test("a PDF shows its scanned pages", async () => {
    await openPreview(pdfOf([{ square: fax }, { square: jpeg2000 }]), "scan.pdf", "application/pdf");
    for (const number of [1, 2]) {
      await dialog().getByText(`Page ${number} of 2`).waitFor();
      await dialog().locator('[aria-busy="false"]').waitFor();
      expect([number, await page.evaluate(inked)]).toEqual([number, [true]]);
      if (number === 1) await dialog().getByRole("button", { name: "Next" }).click();
    }
  });

  test.each([
    ["letter.pdf", "application/pdf", "no PDF", "This file cannot be shown as a PDF."],
    ["picture.png", "image/png", "no image", "The browser cannot show this file as an image."],
    ["notes.txt", "text/plain", new Uint8Array([0x80, 0x81]), "This file is not a text in UTF-8."],
    ["program.bin", "application/octet-stream", "MZ", "Files of this type have no preview."],
    ["large.png", "image/png", new Uint8Array(20_000_001), "Files of more than 20MB have no preview."],
  ])("%s of %s says what it is not", async (name, type, bytes, text) => {
    await openPreview(bytes, name, type);
    expect(await dialog().getByText(text).innerText()).toContain(text);
  });
});
