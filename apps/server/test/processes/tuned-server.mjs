/**
 * A server in a process of its own whose figures a test replaces. It serves until it is killed. Arguments: the figures as
 * JSON, and the configuration file, if there is one.
 */
import { loadConfiguration, startServer } from "../../dist/index.js";
import { createLogger } from "../../dist/monitoring/create-logger.js";

const [figures, file] = process.argv.slice(2);
const configuration = loadConfiguration({ file });
const { logger } = createLogger(configuration);
try {
  const { url } = await startServer(configuration, logger, undefined, undefined, JSON.parse(figures));
  logger.info({ address: url }, "Listening");
} catch (err) {
  logger.fatal({ err }, "Start failed");
  process.exitCode = 1;
}
