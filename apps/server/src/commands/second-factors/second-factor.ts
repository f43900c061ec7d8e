import type { Command } from "commander";
import { commandGroup } from "../command-group.ts";
import { listSecondFactorsCommand } from "./list-second-factors.ts";
import { removeSecondFactorCommand } from "./remove-second-factor.ts";

/** `second-factor list|remove`. */
export function secondFactorCommand(): Command {
  return commandGroup("second-factor", "see who has a second factor, and take it away from who has lost it")
    .addCommand(listSecondFactorsCommand())
    .addCommand(removeSecondFactorCommand());
}
