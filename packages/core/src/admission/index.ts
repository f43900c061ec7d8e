export type { Admission, AdmissionRequest, ReturnAdmission } from "./admission.ts";
export type { AdmissionRepository } from "./admission-repository.ts";
export { refuseMaintenance } from "./refuse-maintenance.ts";
