/** A live-call tool: an operation invoked on its type, with the place where its arguments are checked. */
import type { Operation } from '../core/operation.ts'

export interface Tool {
  readonly operation: Operation
  /**
   * `definition`: the arguments are checked against the OperationDefinition, and the handler runs only if all are
   * valid. `handler`: it receives every argument named by the definition, unchecked, and reports on each itself.
   */
  readonly argumentsCheckedBy: 'definition' | 'handler'
}

/** Tools by name, as in `POST /{family}/{name}`. */
export type ToolFamily = Readonly<Record<string, Tool>>

/** Tool families by name, the first segment of their path. */
export type ToolFamilies = Readonly<Record<string, ToolFamily>>

/** @param operation callable on its type (`OperationDefinition.type`); a provider must declare it too */
export const defineTool = (
  operation: Operation,
  { argumentsCheckedBy = 'definition' }: Partial<Omit<Tool, 'operation'>> = {},
): Tool => ({ operation, argumentsCheckedBy })
