import { demoSuite } from "./demo-suite.ts";
import { whyUntestable } from "./deployed-server.ts";

const url = process.env["BASE_URL"]?.replace(/\/$/, "") || undefined;

if (url === undefined) {
  test("without BASE_URL there is no deployed server to test", () => expect(url).toBeUndefined());
} else {
  // Asked once: three hundred failures would say no more than one.
  const reason = await whyUntestable(url);
  if (reason === null) {
    describe(`the server at ${url}`, () => {
      demoSuite(() => ({ url }));
    });
  } else test("there is a server to test", () => expect(reason).toBeNull());
}
