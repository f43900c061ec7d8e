export type { Call, CallName, OwnCall } from "./call.ts";
export { DriverError, driverText } from "./driver-error.ts";
export { type Fault, faults } from "./fault.ts";
export { FaultScript, type Instruction, type ScriptedFault } from "./fault-script.ts";
export { Gate } from "./gate.ts";
export { withFaults } from "./with-faults.ts";
