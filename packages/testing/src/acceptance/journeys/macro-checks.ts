import { expectRefusal, inSection, type Journey } from "./journey.ts";

/** Macros, of which a server may have none. */
export const macroChecks: Journey = (mode) => {
  const check = inSection("macros", mode);
  return [
    check("finds no unknown macro", async (visit) => {
      await expectRefusal((await visit.client(mode)).execute("NoSuchMacroOfAnyServer", { a: [1] }), 710);
    }),
    check("refuses an invalid name", async (visit) => {
      await expectRefusal((await visit.client(mode)).execute("1st"), 400);
    }),
  ];
};
