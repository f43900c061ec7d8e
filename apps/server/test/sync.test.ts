import { onEngines, testedEngines } from "./engines.ts";
import { deviceSuite } from "./sync/device-suite.ts";
import { deviceEnvironment } from "./sync/devices.ts";
import { longPollSuite } from "./sync/long-poll-suite.ts";
import { offlinePageSuite } from "./sync/offline-page-suite.ts";
import { syncHookEnvironment, syncHookSuite } from "./sync/push-hook-suite.ts";
import { pullSuite } from "./sync/pull-suite.ts";
import { simulatorSuite } from "./sync/simulator-suite.ts";
import { pushAnswerSuite } from "./sync/push-answer-suite.ts";
import { syncPushEnvironment, syncPushSuite } from "./sync/push-suite.ts";
import { syncRestoreSuite } from "./sync/restore-suite.ts";
import { restoredDatabaseSuite } from "./sync/restored-database-suite.ts";
import { storeSuite } from "./sync/store-suite.ts";

describe("synchronization", () => {
  onEngines("pulls", pullSuite, { on: [...new Set([...testedEngines, "memory" as const])] });
  onEngines("waiting pulls", longPollSuite);
  describe("simulated devices", () => {
    simulatorSuite();
  });

  onEngines("pushes", syncPushSuite, { environment: syncPushEnvironment });
  onEngines("answers of pushes", pushAnswerSuite, {
    environment: syncPushEnvironment,
    on: [...new Set([...testedEngines, "embedded" as const])],
  });
  onEngines("pushes with hooks", syncHookSuite, { environment: syncHookEnvironment });
  onEngines(
    "devices",
    (server) => {
      deviceSuite(server);
      storeSuite(server);
      restoredDatabaseSuite(server);
      offlinePageSuite(server);
    },
    { environment: deviceEnvironment },
  );
  describe("a restore", () => {
    syncRestoreSuite();
  });
});
