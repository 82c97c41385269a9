/**
 * A live-call tool: an operation invoked on its type, with the place where its arguments are checked; its result when it
 * fails; and the registration of tool families, checked at the start, so that every declared tool is served.
 */
import type { Operation } from '../core/operation.ts'
import type { Provider } from '../core/provider.ts'
import { isResourceType } from '../fhir/definitions.ts'

export interface Tool {
  readonly operation: Operation
  /**
   * `definition`: the arguments are checked against the OperationDefinition, and the handler runs only if all are
   * valid. `handler`: it receives every argument named by the definition, unchecked, and reports on each itself.
   */
  readonly argumentsCheckedBy: 'definition' | 'handler'
  /** The values that an argument has, by its name, where it has few. They are for agents: a caller may say them otherwise. */
  readonly values?: Readonly<Record<string, readonly string[]>>
}

/** Tools by name, as in `POST /{family}/{name}`. */
export type ToolFamily = Readonly<Record<string, Tool>>

/** Tool families by name, the first segment of their path. */
export type ToolFamilies = Readonly<Record<string, ToolFamily>>

/** @param operation callable on its type (`OperationDefinition.type`); a provider must declare it too */
export const defineTool = (
  operation: Operation,
  { argumentsCheckedBy = 'definition', ...described }: Partial<Omit<Tool, 'operation'>> = {},
): Tool => ({ operation, argumentsCheckedBy, ...described })

/** Sentences for the agent to say, by code; nothing technical. */
const SENTENCES: Readonly<Record<string, string>> = {
  'missing-argument': 'I am missing some information for that. Could you tell me again?',
  'invalid-argument': 'Sorry, I did not get that right. Could you tell me again?',
  timeout: 'Sorry, this is taking longer than usual. Let me try again.',
  transient: 'Sorry, our system is busy at the moment. Let me try again.',
  conflict: 'Sorry, our system is busy at the moment. Let me try again.',
}

/** Promises no help from staff, as they do not hear of a failed call. */
const DEFAULT_SENTENCE = 'Sorry, I cannot do that at the moment.'

/**
 * The result of a tool call that failed: a code for programs, a message for developers, a sentence for the caller.
 * @param tool undefined if the request names a tool that does not exist
 * @param say a sentence that fits the failure better than that of its code
 */
export function failure(tool: Tool | undefined, code: string, error: string, say?: string): object {
  const reportsValidity = tool?.operation.definition.parameter?.some(
    ({ name, use }) => name === 'valid' && use === 'out',
  )
  return {
    ...(reportsValidity ? { valid: false } : { success: false }),
    code,
    error,
    say: say ?? SENTENCES[code] ?? DEFAULT_SENTENCE,
  }
}

export interface RegisteredTool extends Tool {
  readonly name: string
}

export type RegisteredFamilies = ReadonlyMap<string, ReadonlyMap<string, RegisteredTool>>

/** Operations of the tools that belong to `type`, which its provider must declare. */
export function toolOperations(families: ToolFamilies, type: string): readonly Operation[] {
  const operations = Object.values(families).flatMap((family) => Object.values(family).map((tool) => tool.operation))
  return [...new Set(operations)].filter(({ definition }) => definition.resource?.some((name) => name === type))
}

/**
 * The families of both tables; a family in both has the tools of both.
 * @throws Error naming a tool that occurs twice; it stops the start.
 */
export function mergeFamilies(families: ToolFamilies, added: ToolFamilies): ToolFamilies {
  const merged = new Map(Object.entries(families))
  for (const [family, tools] of Object.entries(added)) {
    const present = merged.get(family) ?? {}
    const twice = Object.keys(tools).find((name) => Object.hasOwn(present, name))
    if (twice !== undefined) throw new Error(`Tool ${family}/${twice} is defined twice; each family has a tool once`)
    merged.set(family, { ...present, ...tools })
  }
  const all = Object.fromEntries(merged)
  checkNames(all)
  return all
}

/**
 * Tools by family and name.
 * @param reserved first path segments used by other routes, or two: `mcp/fhir`
 * @throws Error naming the invalid family or tool; it stops the start.
 */
export function registerTools(
  families: ToolFamilies,
  providers: ReadonlyMap<string, Provider>,
  reserved: ReadonlySet<string>,
): RegisteredFamilies {
  const declared = new Set([...providers.values()].flatMap(({ operations }) => operations))
  checkNames(families)
  return new Map(
    Object.entries(families).map(([family, tools]) => {
      checkFamilyName(family, reserved)
      return [family, registerFamily(family, tools, declared)]
    }),
  )
}

/** A name means the same tool in every family, as platforms, and repeated calls, identify a tool only by its name. */
function checkNames(families: ToolFamilies): void {
  const seen = new Map<string, { readonly family: string; readonly operation: Operation }>()
  for (const [family, tools] of Object.entries(families)) {
    for (const [name, { operation }] of Object.entries(tools)) {
      const other = seen.get(name)
      if (other !== undefined && other.operation !== operation)
        throw new Error(
          `Tool ${family}/${name}: ${other.family}/${name} is another operation; give one of them another name`,
        )
      seen.set(name, { family, operation })
    }
  }
}

function checkFamilyName(family: string, reserved: ReadonlySet<string>): void {
  if (isResourceType(family)) throw new Error(`Tool family ${family}: /${family} is the address of a resource type`)
  if (!/^[a-z][a-z\d-]*$/.test(family))
    throw new Error(`Tool family '${family}': a name is a path segment of lower-case letters, digits and hyphens`)
  // The tools of a family are at `/{family}`, and by the Model Context Protocol at `/mcp/{family}`.
  const taken = [family, `mcp/${family}`].find((address) => reserved.has(address))
  if (taken !== undefined) throw new Error(`Tool family ${family}: /${taken} is the address of other routes`)
}

const registerFamily = (
  family: string,
  tools: ToolFamily,
  declared: ReadonlySet<Operation>,
): ReadonlyMap<string, RegisteredTool> =>
  new Map(
    Object.entries(tools).map(([name, tool]) => {
      const problem = problemOf(name, tool, declared)
      if (problem !== undefined) throw new Error(`Tool ${family}/${name}: ${problem}`)
      return [name, { ...tool, name }]
    }),
  )

function problemOf(name: string, { operation }: Tool, declared: ReadonlySet<Operation>): string | undefined {
  if (!/^[A-Za-z][\w-]*$/.test(name)) return 'a name is a path segment of letters, digits, underscores and hyphens'
  if (!declared.has(operation)) return `no provider declares its operation ${operation.name}`
  if (!operation.definition.type) return `its operation ${operation.name} cannot be called on a type`
  return undefined
}
