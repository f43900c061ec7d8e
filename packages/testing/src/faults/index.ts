export {
  type Call,
  type CallName,
  FaultScript,
  type Instruction,
  type OwnCall,
  type ScriptedFault,
} from "./fault-script.ts";
export {
  type FileStoreCall,
  type FileStoreFault,
  fileStoreFaults,
  FileStoreFaultScript,
  withFileStoreFaults,
} from "./file-store-faults.ts";
export { DriverError, driverText, type Fault, faults, Latch } from "./fault.ts";
export { withFaults } from "./with-faults.ts";
