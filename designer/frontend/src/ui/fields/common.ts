// What every control of a form gets, and what a form knows of where it stands.

import { createContext, useContext } from "react";
import type { Field } from "../../app/start";
import type { Json, Obj } from "../../model/json";
import type { Place } from "../../model/tree";

export interface ControlProps<Value extends Json = Json> {
  readonly id: string;
  readonly field: Field;
  readonly value: Value | undefined;
  /** `undefined` takes the value away. */
  readonly set: (value: Json | undefined) => void;
  readonly isInvalid: boolean;
  readonly describedBy?: string;
}

export interface FormContext {
  /** The step whose form this is; null for the flow's own. */
  readonly place: Place | null;
  /** The object whose members the fields around are. */
  readonly members: Obj;
  readonly isReadOnly: boolean;
  /** The steps of a `reconcile` whose results can be read here, besides what the step itself can read. */
  readonly probes?: readonly Obj[];
  /** Takes new members for the group around, where a control changes more than its own. */
  readonly setMembers?: (members: Obj) => void;
}

export const Form = createContext<FormContext>({ place: null, members: {}, isReadOnly: false });

export function useForm(): FormContext {
  return useContext(Form);
}

export function isTemplate(value: unknown): boolean {
  return typeof value === "string" && /\{\{|\$\{/.test(value);
}
