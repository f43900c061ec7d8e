/** Port: the switch that takes a database out of service; admission reports its state. */
export interface MaintenanceSwitch {
  set(on: boolean): Promise<void>;
}
