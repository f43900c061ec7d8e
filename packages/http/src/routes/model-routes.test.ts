import { attributeType, deleteRule, permission } from "@sallyport/contract";
import { attributeTypes, deleteRules, permissions } from "@sallyport/core";

test("the wire has the words of the domain", () => {
  expect(attributeType.options).toEqual(attributeTypes);
  expect(deleteRule.options).toEqual(deleteRules);
  expect(permission.options).toEqual(permissions);
});
