import { LoadGenerator } from "../load/load-generator.ts";
import type { LoadFigures, LoadJob } from "../load/load-job.ts";
import type { Contestant } from "./contestant.ts";
import type { Figures } from "./figures.ts";

/** The disturbance begins so many seconds before what is measured, and ends as many after. */
const margin = 1;

/** A contestant that is measured while another load does what it does, from a process of its own. */
export class Disturbed implements Contestant {
  readonly disturbances: LoadFigures[] = [];

  constructor(
    readonly name: string,
    private readonly measured: Contestant,
    private readonly disturbance: Pick<LoadJob, "address" | "connections" | "requests">,
    /** Resolves when nothing is left of the disturbance: what is measured next is to find the server as it was. */
    private readonly overcome: () => Promise<void>,
  ) {}

  async measure(seconds: number): Promise<Figures> {
    const generator = new LoadGenerator();
    try {
      const disturbing = generator.run({ ...this.disturbance, seconds: seconds + 2 * margin });
      await new Promise((begun) => {
        setTimeout(begun, margin * 1_000);
      });
      const figures = await this.measured.measure(seconds);
      this.disturbances.push(await disturbing);
      await this.overcome();
      return figures;
    } finally {
      generator.close();
    }
  }
}
