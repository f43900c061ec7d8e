import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { Bench, benches, invocation } from "./runtime.ts";

const { open, close } = benches();
afterAll(close);

it("tells all who wait when it is closed", async () => {
  const bench = new Bench(1);
  const lease = await bench.runtime.lease(1_000, true);
  const began = performance.now();
  const waiting = Array.from({ length: 3 }, () => bench.runtime.lease(60_000, true).catch((error: unknown) => error));
  const closed = bench.runtime.close();
  lease.release();
  expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ code: 706 })));
  expect(performance.now() - began).toBeLessThan(30_000);
  await closed;
});

it("ends what runs when it is closed, and lets nobody in", async () => {
  const bench = new Bench(1);
  const lease = await bench.runtime.lease(1_000, false);
  const running = lease.invoke(invocation("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
  await Promise.all([expect(running).rejects.toMatchObject({ kind: "ended" }), bench.runtime.close()]);
  lease.release();
  await expect(bench.runtime.lease(1_000, false)).rejects.toMatchObject({ code: 706 });
});

it("starts no thread before there is work", async () => {
  const script = `
    import { readdirSync } from "node:fs";
    import { QuickJsMacroRuntime } from "@sallyport/macros";
    const before = readdirSync("/proc/self/task").length;
    const runtime = new QuickJsMacroRuntime({ threads: 4, queue: 1 });
    console.log(readdirSync("/proc/self/task").length - before);
    await runtime.close();`;
  if (process.platform !== "linux") return;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(printed.trim()).toBe("0");
});

it("runs macros in threads that stand back behind the server, which stays as it was", async () => {
  // Elsewhere a thread has no priority of its own, and is given none.
  if (process.platform !== "linux") return;
  const bench = new Bench(1, 1, {});
  await bench.run("return 1;");
  // The 19th field, counted behind the name of the thread.
  const nice = readdirSync("/proc/self/task").map((id) =>
    Number(readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ")[16]),
  );
  expect(nice.filter((value) => value === 10)).not.toEqual([]);
  expect(Number(readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[16])).toBeLessThan(10);
  await bench.runtime.close();
});

it("knows nothing of the server's surroundings", async () => {
  process.env["SALLYPORT_TEST_SECRET"] = "secret";
  const { bench } = open(1);
  expect(await bench.run("return JSON.stringify(Object.getOwnPropertyNames(globalThis)).includes('SECRET');")).toBe(
    false,
  );
  delete process.env["SALLYPORT_TEST_SECRET"];
});
