import type { Case } from "./case.ts";
import { countCases } from "./count-cases.ts";
import { deletionCases } from "./deletion-cases.ts";
import { descriptionCases } from "./description-cases.ts";
import { fileCases } from "./file-cases.ts";
import { logInCases } from "./log-in-cases.ts";
import { macroCases } from "./macro-cases.ts";
import { modelCases } from "./model-cases.ts";
import { multiCases } from "./multi-cases.ts";
import { objectCases } from "./object-cases.ts";
import { passwordCases } from "./password-cases.ts";
import { queryCases } from "./query-cases.ts";
import { serializationCases } from "./serialization-cases.ts";
import { sessionCases } from "./session-cases.ts";
import { transportCases } from "./transport-cases.ts";
import { writeCases } from "./write-cases.ts";

/** The tables by the name of their suite. */
export const allCases: Readonly<Record<string, readonly Case[]>> = {
  "log-in": logInCases,
  sessions: sessionCases,
  transport: transportCases,
  objects: objectCases,
  queries: queryCases,
  counts: countCases,
  serialization: serializationCases,
  description: descriptionCases,
  writing: writeCases,
  model: modelCases,
  deleting: deletionCases,
  files: fileCases,
  "multi requests": multiCases,
  macros: macroCases,
  passwords: passwordCases,
};
