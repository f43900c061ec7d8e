#!/usr/bin/env node
import { mainCommand } from "./commands/main-command.ts";

try {
  await mainCommand().parseAsync();
} catch (error) {
  const { reportFailure } = await import("./commands/report-failure.ts");
  reportFailure(error);
}
