/**
 * The entry point of the package: what extensions, and programs that run the server themselves, may use. These names and
 * what their comments say are stable; nothing else in src is. See docs/extending.md.
 */

export { patientOfRequest } from './calls/session/patient-of-call.ts'
export { defineTool, type Tool, type ToolFamilies, type ToolFamily } from './calls/tool.ts'
export type { CrmSettings } from './clinics/crm-settings.ts'
export type { InsuranceSettings } from './clinics/insurance-settings.ts'
export type { WebhookSettings } from './clinics/webhook-settings.ts'
export { type Config, type Limits, readConfig } from './config.ts'
export type { CallSession } from './core/call-session.ts'
export type { Agent, ClinicAccess, Context } from './core/context.ts'
export {
  Accepted,
  defineOperation,
  type Operation,
  type OperationHandler,
  type OperationInput,
  type OperationOutput,
  type OperationRequest,
} from './core/operation.ts'
export type {
  CrmConnector,
  CrmContact,
  Delivery,
  InsuranceExchange,
  InsuranceRequest,
  InsuranceResult,
  InsuranceStatus,
  InsuranceVerification,
  Integrations,
  MessageConnector,
  OutboundMessage,
} from './core/ports.ts'
export type { Precondition } from './core/precondition.ts'
export {
  defineProvider,
  type InteractionCode,
  type Interactions,
  type Provider,
  standard,
} from './core/provider.ts'
export { seedDemo } from './demo/demo-clinic.ts'
export { readTopic } from './events/topics.ts'
export type { LoadedExtension } from './extensions/extension.ts'
export {
  defineExtension,
  extendProvider,
  type InteractionWrappers,
  type ProviderExtension,
  type ServerExtension,
} from './extensions/extension.ts'
export { loadExtensions } from './extensions/load.ts'
export {
  badRequest,
  conflict,
  FhirError,
  gone,
  type Issue,
  type IssueCode,
  notFound,
  preconditionFailed,
  unprocessable,
} from './fhir/outcome.ts'
export type { AnyResource } from './fhir/resource.ts'
export { type App, type AppParts, createApp } from './main/app.ts'
export { listen } from './main/listen.ts'
export type { ClinicDay } from './rehearsal/scenarios/moments.ts'
export type { Oddity, Person, Scenario, ScenarioResource } from './rehearsal/scenarios/scenario.ts'
export { readScenario } from './rehearsal/scenarios/scenario-file.ts'
export type { Versioned } from './repository/repository.ts'
