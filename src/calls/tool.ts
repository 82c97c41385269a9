/** What a live-call tool is: an operation that is called on its type, and who checks its arguments. */
import type { Operation } from '../core/operation.ts'

export interface Tool {
  readonly operation: Operation
  /**
   * `definition`: the arguments are checked against the OperationDefinition, and the handler only runs when all are
   * right. `handler`: it is given every argument that the definition names, as it came, and reports on each by itself.
   */
  readonly argumentsCheckedBy: 'definition' | 'handler'
}

/** Tools by name, as in `POST /{family}/{name}`. */
export type ToolFamily = Readonly<Record<string, Tool>>

/** Tool families by name: the first segment of their path. */
export type ToolFamilies = Readonly<Record<string, ToolFamily>>

/** @param operation callable on its type (`OperationDefinition.type`); a provider must declare it too */
export const defineTool = (
  operation: Operation,
  { argumentsCheckedBy = 'definition' }: Partial<Omit<Tool, 'operation'>> = {},
): Tool => ({ operation, argumentsCheckedBy })
