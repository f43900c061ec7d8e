import type { Check } from "../../check.ts";
import { kernelLifecycleChecks } from "./lifecycle.ts";
import { kernelProcessChecks } from "./processes.ts";
import { kernelRaceChecks } from "./races.ts";
import { kernelRangeChecks } from "./ranges.ts";
import { kernelRowChecks } from "./rows.ts";
import { kernelScheduleChecks } from "./schedules.ts";
import { kernelStampChecks } from "./stamps.ts";
import { kernelTransactionChecks } from "./transactions.ts";

/** The checks of kernels. They do not apply to an adapter that implements a whole storage. */
export const kernelSection: readonly Check[] = [
  ...kernelLifecycleChecks,
  ...kernelRowChecks,
  ...kernelRangeChecks,
  ...kernelTransactionChecks,
  ...kernelRaceChecks,
  ...kernelScheduleChecks,
  ...kernelStampChecks,
  ...kernelProcessChecks,
];
