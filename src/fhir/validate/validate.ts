/**
 * Validates a resource against its R4 StructureDefinition: https://hl7.org/fhir/R4/validation.html. Checks elements,
 * cardinality, primitive formats, required bindings and invariants, but neither profiles nor terminology.
 */
import { isResourceType } from '../definitions.ts'
import { badRequest, FhirError, type Issue } from '../outcome.ts'
import { type AnyResource, isObject } from '../resource.ts'
import { kindOf, wrongResourceType } from './messages.ts'
import { Report } from './report.ts'
import { ResourceValidator } from './resource-validator.ts'

export interface ValidationOptions {
  /** Also check constraints of severity warning, such as dom-6 (a resource should have narrative). */
  readonly warnings?: boolean
}

/**
 * The problems found, at most 50 errors and 50 warnings, each with its FHIRPath in `expression`; none when the resource
 * is valid.
 */
export function validate(resource: unknown, { warnings = false }: ValidationOptions = {}): readonly Issue[] {
  const type = isObject(resource) ? resource['resourceType'] : undefined
  if (!isObject(resource) || !isResourceType(type)) return [notAResource(resource)]
  const report = new Report(type)
  new ResourceValidator(report, resource, warnings).run(type)
  return report.issues
}

/**
 * @throws FhirError 400 when it is not a FHIR resource, or not of `expectedType`, the type named by the URL
 * @throws FhirError 422 with all issues when it violates its type's definition
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
  badRequest(`The body is of type ${type}, but the URL is for ${expected}; send ${expected} or change the URL`, {
    expression: 'resourceType',
  })
