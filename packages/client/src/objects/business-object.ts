import type { ObjectData, ObjectListData, RecyclerData } from "@sallyport/contract";

/** Attributes of a class, as its users know them. */
export type Attributes = object;

/** An object that was asked for: its meta-fields, and the attributes that the caller expects of its class. */
export type BusinessObject<Known extends Attributes = Attributes> = ObjectData & { readonly "~UUID": string } & Known;

/** A page of a list, or of the members of a collection. */
export type ObjectPage<Known extends Attributes = Attributes> = Omit<ObjectListData, "~Elements"> & {
  readonly "~Elements": BusinessObject<Known>[];
};

/** A page of the recycle bin: what was deleted, when and by whom. */
export type RecyclerPage = RecyclerData;
