/** The constraint that no object is too large; what breaks it is told by this name. */
export const objectSizeConstraint = "objects_size";
