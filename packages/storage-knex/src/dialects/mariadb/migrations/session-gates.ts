/** The gate that those hold who open sessions under a limit of the database. */
export const gateOfAll = -1;

/** Gates that users share by the remainder of their number: few enough to be there from the start. */
export const userGates = 256;
