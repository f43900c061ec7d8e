import { isFullRun } from "@sallyport/test-kit/scope";
import { floor, judgeMutants } from "./judge-mutants.ts";

/** The number of mutants, and how much lower than that of all the score of so many may be. */
const [sample, luck] = isFullRun ? ["300", 3] : ["40", 5];

test("checks kill mutants of the reference storage", async () => {
  const { score, survivors } = await judgeMutants("--sample", sample, "--seed", "7");
  // The survivors come first, so that a failure names them.
  expect({ survivors: score + luck < floor ? survivors : [], isAbove: score + luck >= floor }).toEqual({
    survivors: [],
    isAbove: true,
  });
}, 900_000);
