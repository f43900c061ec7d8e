import { mailAddress } from "./mail.ts";

test.each([
  "a@b.example",
  "first.last+tag@sub.example.com",
  "o'brien@example.com",
  "müller@bücher.example",
  "用户@例え.テスト",
  "a@localhost",
  "1@2.example",
  "a@xn--bcher-kva.example",
])("%s is one", (text) => {
  expect(mailAddress(text)).toBe(text);
});

test("comes back composed", () => {
  expect(mailAddress("mu\u0308ller@example.com")).toBe("m\u00fcller@example.com");
});

// What nobody is to be asked to take is tried with the transport, too.
test.each([
  "",
  "a",
  "@b",
  "a@",
  "a b@c",
  " a@b.example",
  "a@b.example ",
  "a@b.example,c@d.example",
  "A <a@b.example>",
  "a@b@c",
  "a@b_c.example",
  "a@b.example.",
  "a@b\n",
  "a\r\n@b",
  "a\u2028@b",
  "a\u200d@b",
  "a\u034f@b",
  "a\ufe0f@b",
  "a\u3164@b",
  "\u115fa@b",
  "a@b\uffa0",
  "a@b\u180b.example",
  "\ud800@b.example",
  `${"ä".repeat(65)}@b.example`,
])("%j is none", (text) => {
  expect(mailAddress(text)).toBeNull();
});
