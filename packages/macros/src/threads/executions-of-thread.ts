/** Executions of a thread that have begun: one runs, the others wait for the server. More would hardly wait for less. */
export const EXECUTIONS_OF_THREAD = 12;

/** Executions of a thread that run or could: while one is at work, the next ones are there already. Who comes behind one that takes long waits for it. */
export const READY_OF_THREAD = 4;
