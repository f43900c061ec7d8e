import { playgroundPage } from "./playground-pages.ts";

const hostile = `"><script>alert('1')</script>&amp;`;
const demo = { appKey: hostile, appNames: [hostile], users: [{ name: hostile, password: hostile, may: hostile }] };

describe("the page at /docs", () => {
  test("takes every text for a text", () => {
    const page = playgroundPage({ name: hostile, version: hostile, alias: hostile, demo });
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("alert('1')");
    expect(page).toContain("&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;");
  });

  test("has no script and no style in it, and nothing of another address", () => {
    const page = playgroundPage({ name: "Test", version: "1", alias: "second", demo });
    expect(page).not.toMatch(/<script(?![^>]* src=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect(page).not.toMatch(/(?:src|href|action)="(?!docs\/|openapi\.json"|data:,")/);
  });

  test("shows what opens the demo, and prefills it, there only", () => {
    const access = {
      appKey: "the-key",
      appNames: ["one", "two"],
      users: [{ name: "ann", password: "pw", may: "reads" }],
    };
    const parts = { name: "Test", version: "1", alias: "" };
    const page = playgroundPage({ ...parts, demo: access });
    for (const text of ["the-key", "ann", "pw", "reads", "This is the demo"]) expect(page).toContain(text);
    const other = playgroundPage({ ...parts, demo: null });
    for (const text of ["the-key", "ann", "reads", "This is the demo"]) expect(other).not.toContain(text);
    expect(other).toContain('<input name="appKey" required spellcheck="false" value="">');
  });
});
