export const operatorDatabases = 1;
