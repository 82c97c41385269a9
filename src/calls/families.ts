/** The families of live-call tools (spec 4.1): under which path which tools are called. A tool is an operation on Patient. */
import type { Operation } from '../core/operation.ts'
import type { Provider } from '../core/provider.ts'

const FAMILIES = {
  'patient-journey': [
    'resolve_patient_identity',
    'update_registration_field',
    'submit_insurance_info',
    'record_self_pay_decision',
    'escalate_billing',
  ],
  'patient-intake': ['validate_intake_field', 'submit_intake'],
} as const

/** Tools that tell about each argument by itself, or check it only for some fields: their handlers look at them. */
const CHECKING: readonly string[] = ['update_registration_field', 'validate_intake_field', 'submit_intake']

export interface Tool {
  readonly name: string
  readonly operation: Operation
  /** The handler checks that the arguments are there and of the right type; else that is done before it runs. */
  readonly checksArguments: boolean
}

export type ToolFamilies = ReadonlyMap<string, ReadonlyMap<string, Tool>>

/** Tools by family and name. @throws Error naming a tool whose operation Patient does not have; it stops the start. */
export function toolFamilies(providers: ReadonlyMap<string, Provider>): ToolFamilies {
  const operations = providers.get('Patient')?.operations ?? []
  return new Map(
    Object.entries(FAMILIES).map(([family, names]) => [
      family,
      new Map(names.map((name) => [name, toolOf(name, operations)])),
    ]),
  )
}

function toolOf(name: string, operations: readonly Operation[]): Tool {
  const code = name.replaceAll('_', '-')
  const operation = operations.find((candidate) => candidate.code === code)
  if (operation === undefined) throw new Error(`Tool ${name}: the Patient provider has no operation ${code}`)
  return { name, operation, checksArguments: CHECKING.includes(name) }
}
