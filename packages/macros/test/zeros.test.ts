import { MacroRefusal, ServiceError } from "@sallyport/core";
import { Bench, macro } from "./runtime.ts";

/** A text of the engine ends at its first zero wherever it is handed out as it is. */

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.runtime.close());

const odd = "a\u0000b\u2028\u00fc\ud83d\ude00";
const code = JSON.stringify(odd);

test("lines of the log, status messages, results and refusals are whole", async () => {
  const { statusMessage, result } = await bench.invoke(
    macro(`log(${code}); setStatusMessage(${code}); return ${code};`),
  );
  expect([bench.lines, statusMessage, result]).toEqual([[odd], odd, odd]);
  await expect(bench.run(`refuse(307, ${code});`)).rejects.toEqual(new MacroRefusal(307, odd));
  await expect(bench.run(`throw new Error(${code});`)).rejects.toMatchObject({ message: odd });
});

test("what is given, what the host answers and what it refuses with is whole", async () => {
  const answer = (): never => {
    throw new ServiceError(307, { detail: odd });
  };
  expect(await bench.run("return input;", { input: odd })).toBe(odd);
  expect(await bench.run("return await now();", { answer: () => odd })).toBe(odd);
  expect(await bench.run("try { await now(); } catch (error) { return error.message; }", { answer })).toBe(odd);
});
