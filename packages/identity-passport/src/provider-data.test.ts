import { emailOf } from "./provider-data.ts";

const email = "anna@example.com";

test.each([[{ email }], [{ email, email_verified: true }], [{ email, email_verified: "true" }]])(
  "of %j the address is told",
  (claims) => {
    expect(emailOf(claims)).toBe(email);
  },
);

test.each<Record<string, unknown>>([
  { email, email_verified: false },
  { email, email_verified: "false" },
  { email, email_verified: null },
  { email, email_verified: 1 },
  { email, email_verified: ["true"] },
  { email, email_verified: "" },
  { email: [email] },
  { email_verified: true },
])("of %j none is", (claims) => {
  expect(emailOf(claims)).toBe("");
});
