/** Whether `LOG_LEVEL` asks for every detail; readable even when the configuration is not. */
export function isDebugging(): boolean {
  return ["debug", "trace"].includes(process.env["LOG_LEVEL"] ?? "");
}
