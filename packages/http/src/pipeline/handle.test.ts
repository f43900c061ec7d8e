import { mailLanguage } from "./handle.ts";

test.each([
  [undefined, null],
  ["", null],
  ["*", null],
  ["fr", null],
  ["de", "de"],
  ["DE-at", "de"],
  ["dex", null],
  ["en-GB,en;q=0.9,de;q=0.8", "en"],
  ["fr, de;q=0.7, en;q=0.8", "en"],
  ["en;q=0.1,de", "de"],
  ["en;q=0", null],
  ["en;q=0, de;q=0.001", "de"],
  ["en;q=high,de;q=0.5", "en"],
  ["de;q=0.5,en;q=0.5", "de"],
])("%j asks for %j", (header, language) => {
  expect(mailLanguage(header)).toBe(language);
});
