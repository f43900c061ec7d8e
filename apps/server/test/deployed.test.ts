import { demoSuite } from "./demo-suite.ts";

const url = process.env["BASE_URL"];

if (url === undefined) {
  test("without BASE_URL there is no deployed server to test", () => expect(url).toBeUndefined());
} else {
  describe(`the server at ${url}`, () => {
    demoSuite(() => ({ url: url.replace(/\/$/, "") }));
  });
}
