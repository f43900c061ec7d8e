/** Limit: argon2id on all cores. Verifies one password repeatedly for the number of seconds in its argument. */
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";

const password = "correct horse battery staple";
const warmUp = 300;

const encoded = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });

/** The number of verifications on all cores within this many milliseconds. */
async function checkFor(milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let checked = 0;
  const oneCore = async () => {
    while (performance.now() < end) {
      await verify(encoded, password);
      checked += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, oneCore));
  return checked;
}

await checkFor(warmUp);
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const checked = await checkFor(Number(process.argv[2]) * 1000);
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
process.send?.({ checked, seconds, cpu: user + system });
process.disconnect?.();
