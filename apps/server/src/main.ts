#!/usr/bin/env node
import { mainCommand } from "./commands/main-command.ts";
import { reportFailure } from "./commands/report-failure.ts";

try {
  await mainCommand().parseAsync();
} catch (error) {
  reportFailure(error);
}
