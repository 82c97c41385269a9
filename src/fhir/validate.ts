/**
 * Checks a resource against its R4 StructureDefinition: https://hl7.org/fhir/R4/validation.html. Elements, cardinality,
 * primitive formats, required bindings and invariants; no profiles and no terminology service.
 */
import { isResourceType } from './definitions.ts'
import { badRequest, FhirError, type Issue } from './outcome.ts'
import { type AnyResource, isObject } from './resource.ts'
import { kindOf, wrongResourceType } from './validate/messages.ts'
import { Report } from './validate/report.ts'
import { Walk } from './validate/walk.ts'

export interface ValidationOptions {
  /** Also the rules of severity warning, such as dom-6 (a resource should have narrative). */
  readonly warnings?: boolean
}

/** All that is wrong, at most 50 issues, each with its FHIRPath in `expression`; none: the resource is valid. */
export function validate(resource: unknown, { warnings = false }: ValidationOptions = {}): readonly Issue[] {
  const type = isObject(resource) ? resource['resourceType'] : undefined
  if (!isObject(resource) || !isResourceType(type)) return [notAResource(resource)]
  const report = new Report(type)
  new Walk(report, resource, warnings).run(type)
  return report.issues
}

/**
 * @throws FhirError 400 when it is no FHIR resource, or not one of `expectedType`, the type that the address names
 * @throws FhirError 422 with all issues when it breaks a rule of its type
 */
export function checkResource(resource: unknown, expectedType?: string): asserts resource is AnyResource {
  const type = isObject(resource) ? resource['resourceType'] : undefined
  if (!isResourceType(type)) throw new FhirError(400, notAResource(resource))
  if (expectedType !== undefined && type !== expectedType) throw wrongType(type, expectedType)
  const issues = validate(resource)
  if (issues.length > 0) throw new FhirError(422, issues)
}

function notAResource(value: unknown): Issue {
  if (!isObject(value)) {
    const diagnostics = `A FHIR resource is a JSON object with a resourceType, e.g. {"resourceType":"Patient"}; got ${kindOf(value)}`
    return { severity: 'error', code: 'structure', diagnostics }
  }
  const diagnostics = `The resource ${wrongResourceType(value['resourceType'])}`
  return { severity: 'error', code: 'structure', diagnostics, expression: 'resourceType' }
}

const wrongType = (type: string, expected: string): FhirError =>
  badRequest(
    `The body is of type ${type}, but the address is that of ${expected}; send ${expected} or change the address`,
    {
      expression: 'resourceType',
    },
  )
