/**
 * A plan as a TestScript (https://hl7.org/fhir/R4/testscript.html), to which TestReports refer: its identity, its sources, and a
 * test for each step. TestScript has no words for most of what a plan expects (`after`, `never`, `times`, `state`), so it tells
 * what is tested, and is not there to be executed.
 */
import type { TestScript, TestScriptMetadata, TestScriptSetupActionAssert, TestScriptTest } from 'fhir/r4'
import { isResourceType } from '../../fhir/definitions.ts'
import { nonEmpty, present } from '../../fhir/resource.ts'
import { fhirText } from './fhir-text.ts'
import type { Plan, Step } from './plan.ts'

const CANONICAL = 'https://sandbox-emr.example/fhir'
const PROFILES = 'http://terminology.hl7.org/CodeSystem/testscript-profile'

/**
 * Its id is the name of the plan.
 * @param status `retired`: there is no such plan any more, but there may be TestReports of it
 */
export function testScriptOf(
  plan: Plan,
  status: 'active' | 'retired' = 'active',
): TestScript & { readonly id: string } {
  const { plan: name, title, version, description, steps } = plan
  return {
    resourceType: 'TestScript',
    id: name,
    url: `${CANONICAL}/TestScript/${name}`,
    version,
    name: pascalCase(name),
    ...present({ title: fhirText(title), description: fhirText(description) }),
    status,
    publisher: 'Sandbox EMR',
    origin: [{ index: 1, profile: { system: `${PROFILES}-origin-types`, code: 'FHIR-Client' } }],
    destination: [{ index: 1, profile: { system: `${PROFILES}-destination-types`, code: 'FHIR-Server' } }],
    metadata: metadataOf(plan),
    ...nonEmpty({ test: steps.map(testOf) }),
  }
}

export const testScriptsOf = (plans: readonly Plan[]) => plans.map((plan) => testScriptOf(plan))

/** `booking-lifecycle` -> `BookingLifecycle`, which programs can use as a name: tst-0. */
const pascalCase = (name: string): string => {
  const written = name.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, first: string) => first.toUpperCase())
  return /^[A-Z]/.test(written) ? written : `Plan${written}`
}

const WEB_ADDRESS = /https?:\/\/[^\s<>"';,)]+/g

/** The sources, as links; a link has to belong to a capability, which is what the client needs of the server. */
function metadataOf({ steps, scenario }: Plan): TestScriptMetadata {
  const links = [...new Set(steps.flatMap(({ source }) => source.match(WEB_ADDRESS) ?? []))]
  const needs = 'The interactions of the steps'
  return {
    ...nonEmpty({ link: links.map((url) => ({ url, ...describedBy(steps, url) })) }),
    capability: [
      {
        required: true,
        validated: false,
        description: scenario === undefined ? needs : `${needs}, with the data of the scenario ${scenario}`,
        origin: [1],
        destination: 1,
        ...nonEmpty({ link: links }),
        capabilities: `${CANONICAL}/CapabilityStatement/sandbox-emr`,
      },
    ],
  }
}

const describedBy = (steps: readonly Step[], url: string): { readonly description?: string } => {
  const titles = steps.filter(({ source }) => source.includes(url)).map(({ title }) => title)
  return present({ description: fhirText(titles.join('; ')) })
}

function testOf({ id, title, source, optional, expect, attest }: Step): TestScriptTest {
  const assert = {
    label: id,
    ...present({ description: fhirText(attest ?? title) }),
    direction: 'request',
    ...(isResourceType(expect?.type) ? { resource: expect.type } : {}),
    warningOnly: optional === true,
  } as TestScriptSetupActionAssert
  return { name: id, ...present({ description: fhirText(`${title} (${source})`) }), action: [{ assert }] }
}
