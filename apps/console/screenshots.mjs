/**
 * Takes pictures of all pages of a running console: light and dark, wide and narrow.
 *
 *     node apps/console/screenshots.mjs <link of console-link> <folder>
 *
 * It logs in as the administrator of the demo, and follows the links of the side bar. The machine needs Chromium.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [link, folder] = process.argv.slice(2);
if (link === undefined || folder === undefined) throw new Error("Name the link of the console and a folder.");
mkdirSync(folder, { recursive: true });

const widths = [1_280, 390];
const schemes = ["light", "dark"];

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-US" });
context.setDefaultTimeout(120_000);
const page = await context.newPage();

/** Pictures of the page as it is. */
async function take(name) {
  for (const scheme of schemes)
    for (const width of widths) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      // Wide and narrow pages lay out their lists anew.
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) });
    }
  await page.setViewportSize({ width: widths[0], height: 900 });
}

async function go(address) {
  await page.goto(new URL(address, link).href);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
}

await page.goto(link);
await page.getByText("no administration key is needed").waitFor();
await take("log-in");
await page.getByLabel(/^User name/).fill("admin");
await page.getByLabel(/^Password/).fill("admin");
await page.getByRole("button", { name: "Log in" }).click();
await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
const links = await page
  .getByRole("navigation")
  .getByRole("link")
  .evaluateAll((all) => all.map((each) => each.hash));
for (const address of links) {
  await go(address);
  await take(address === "#/" ? "start" : decodeURIComponent(address.slice(2)).replaceAll("/", "-"));
  // The first of a list.
  const first = page.getByRole("main").locator("td a, [role=gridcell] a").first();
  if (!/users|Customer/.test(address)) continue;
  await first.waitFor();
  await go(await first.evaluate((each) => each.hash));
  await take(`${address.split("/").at(-1)}-one`);
}
await browser.close();
