import { outcomeTable } from "./report/outcome-table.ts";
import { listScenario } from "./scenarios/list-scenario.ts";
import { readScenario } from "./scenarios/read-scenario.ts";
import { Stage } from "./stage/stage.ts";

const stage = await Stage.open();
try {
  const plan = { rounds: 3, seconds: 3, warmUp: 2, ...(process.argv[2] ? { profiles: process.argv[2] } : {}) };
  console.log(outcomeTable([...(await readScenario.run(stage, plan)), ...(await listScenario.run(stage, plan))]));
} finally {
  await stage.close();
}
