export const moveToRecycler = true;
