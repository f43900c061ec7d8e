/** Executions of a thread that have begun: one runs, the others wait for the server. More would hardly wait for less. */
export const EXECUTIONS_OF_THREAD = 8;
