/** Extensions, code systems and tags in resources written by live calls; their definitions are in resources/. */
import type { CodeableConcept, Coding, Extension } from 'fhir/r4'

const BASE = 'https://sandbox-emr.example/fhir'

const codeSystem = (id: string): string => `${BASE}/CodeSystem/${id}`

export const extensionUrl = (id: string): string => `${BASE}/StructureDefinition/${id}`

/** Encounter.identifier of a live call; the value is the platform's call id. */
export const CALL_ID_SYSTEM = `${BASE}/NamingSystem/call-id`

export const TASK_CODE_SYSTEM = codeSystem('task-code')
export const TASK_INPUT_SYSTEM = codeSystem('task-input')
export const INSURANCE_STATUS_SYSTEM = codeSystem('insurance-status')
export const COVERAGE_COST_SYSTEM = codeSystem('coverage-cost')
export const CONSENT_CATEGORY_SYSTEM = codeSystem('consent-category')
export const SELF_PAY_SYSTEM = 'http://terminology.hl7.org/CodeSystem/coverage-selfpay'

export const concept = (system: string, code: string, display?: string): CodeableConcept => ({
  coding: [{ system, code, ...(display === undefined ? {} : { display }) }],
})

export const hasCoding = ({ coding = [] }: CodeableConcept, wanted: Coding): boolean =>
  coding.some(({ system, code }) => system === wanted.system && code === wanted.code)

/** The extension of this server with that id. */
export const extensionOf = (
  holder: { extension?: Extension[] | undefined } | undefined,
  id: string,
): Extension | undefined => holder?.extension?.find(({ url }) => url === extensionUrl(id))

/** Replaces or adds the extension of this server; everything else stays. */
export function withExtension<H extends { extension?: Extension[] | undefined }>(
  holder: H,
  id: string,
  value: Omit<Extension, 'url'>,
): H {
  const next: Extension = { url: extensionUrl(id), ...value }
  const extension = holder.extension ?? []
  const at = extension.findIndex(({ url }) => url === next.url)
  return { ...holder, extension: at < 0 ? [...extension, next] : extension.with(at, next) }
}
