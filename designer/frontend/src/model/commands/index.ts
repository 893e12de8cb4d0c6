// What a person can do to a flow. Every command takes the document and answers a new one, or says why not.

export { insert, remove } from "./insert";
export { canMove, move, moveBy } from "./move";
export { copyOf, duplicate, paste } from "./copies";
export { followName } from "./naming";
export { rename, setField, setFields, setFlowField, setJump, toggleDisabled } from "./fields";
export { changeKind, settingsIn, type Kind } from "./kinds";
export { unwrap, wrap } from "./wrap";
export { outermost, type Slot } from "./places";
