export interface SubstanceSpecification extends DomainResource {
  readonly resourceType: 'SubstanceSpecification';
  identifier?: Identifier | undefined;
  type?: CodeableConcept | undefined;
  status?: CodeableConcept | undefined;
  domain?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  source?: Reference[] | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  moiety?: SubstanceSpecificationMoiety[] | undefined;
  property?: SubstanceSpecificationProperty[] | undefined;
  referenceInformation?: Reference | undefined;
  structure?: SubstanceSpecificationStructure | undefined;
  code?: SubstanceSpecificationCode[] | undefined;
  name?: SubstanceSpecificationName[] | undefined;
  molecularWeight?: SubstanceSpecificationStructureIsotopeMolecularWeight[] | undefined;
  relationship?: SubstanceSpecificationRelationship[] | undefined;
  nucleicAcid?: Reference | undefined;
  polymer?: Reference | undefined;
  protein?: Reference | undefined;
  sourceMaterial?: Reference | undefined;
}

export interface SubstanceSpecificationMoiety extends BackboneElement {
  role?: CodeableConcept | undefined;
  identifier?: Identifier | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  stereochemistry?: CodeableConcept | undefined;
  opticalActivity?: CodeableConcept | undefined;
  molecularFormula?: string | undefined;
  _molecularFormula?: Element | undefined;
  amountQuantity?: Quantity | undefined;
  amountString?: string | undefined;
  _amountString?: Element | undefined;
}

export interface SubstanceSpecificationProperty extends BackboneElement {
  category?: CodeableConcept | undefined;
  code?: CodeableConcept | undefined;
  parameters?: string | undefined;
  _parameters?: Element | undefined;
  definingSubstanceReference?: Reference | undefined;
  definingSubstanceCodeableConcept?: CodeableConcept | undefined;
  amountQuantity?: Quantity | undefined;
  amountString?: string | undefined;
  _amountString?: Element | undefined;
}

export interface SubstanceSpecificationStructureIsotopeMolecularWeight extends BackboneElement {
  method?: CodeableConcept | undefined;
  type?: CodeableConcept | undefined;
  amount?: Quantity | undefined;
}

export interface SubstanceSpecificationStructureIsotope extends BackboneElement {
  identifier?: Identifier | undefined;
  name?: CodeableConcept | undefined;
  substitution?: CodeableConcept | undefined;
  halfLife?: Quantity | undefined;
  molecularWeight?: SubstanceSpecificationStructureIsotopeMolecularWeight | undefined;
}

export interface SubstanceSpecificationStructureRepresentation extends BackboneElement {
  type?: CodeableConcept | undefined;
  representation?: string | undefined;
  _representation?: Element | undefined;
  attachment?: Attachment | undefined;
}

export interface SubstanceSpecificationStructure extends BackboneElement {
  stereochemistry?: CodeableConcept | undefined;
  opticalActivity?: CodeableConcept | undefined;
  molecularFormula?: string | undefined;
  _molecularFormula?: Element | undefined;
  molecularFormulaByMoiety?: string | undefined;
  _molecularFormulaByMoiety?: Element | undefined;
  isotope?: SubstanceSpecificationStructureIsotope[] | undefined;
  molecularWeight?: SubstanceSpecificationStructureIsotopeMolecularWeight | undefined;
  source?: Reference[] | undefined;
  representation?: SubstanceSpecificationStructureRepresentation[] | undefined;
}

export interface SubstanceSpecificationCode extends BackboneElement {
  code?: CodeableConcept | undefined;
  status?: CodeableConcept | undefined;
  statusDate?: string | undefined;
  _statusDate?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  source?: Reference[] | undefined;
}

export interface SubstanceSpecificationNameOfficial extends BackboneElement {
  authority?: CodeableConcept | undefined;
  status?: CodeableConcept | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
}

export interface SubstanceSpecificationName extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  type?: CodeableConcept | undefined;
  status?: CodeableConcept | undefined;
  preferred?: boolean | undefined;
  _preferred?: Element | undefined;
  language?: CodeableConcept[] | undefined;
  domain?: CodeableConcept[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  synonym?: SubstanceSpecificationName[] | undefined;
  translation?: SubstanceSpecificationName[] | undefined;
  official?: SubstanceSpecificationNameOfficial[] | undefined;
  source?: Reference[] | undefined;
}

export interface SubstanceSpecificationRelationship extends BackboneElement {
  substanceReference?: Reference | undefined;
  substanceCodeableConcept?: CodeableConcept | undefined;
  relationship?: CodeableConcept | undefined;
  isDefining?: boolean | undefined;
  _isDefining?: Element | undefined;
  amountQuantity?: Quantity | undefined;
  amountRange?: Range | undefined;
  amountRatio?: Ratio | undefined;
  amountString?: string | undefined;
  _amountString?: Element | undefined;
  amountRatioLowLimit?: Ratio | undefined;
  amountType?: CodeableConcept | undefined;
  source?: Reference[] | undefined;
}

export interface DeviceUseStatement extends DomainResource {
  readonly resourceType: 'DeviceUseStatement';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  status?: ('active'|'completed'|'entered-in-error'|'intended'|'stopped'|'on-hold') | undefined;
  _status?: Element | undefined;
  subject: Reference;
  derivedFrom?: Reference[] | undefined;
  timingTiming?: Timing | undefined;
  timingPeriod?: Period | undefined;
  timingDateTime?: string | undefined;
  _timingDateTime?: Element | undefined;
  recordedOn?: string | undefined;
  _recordedOn?: Element | undefined;
  source?: Reference | undefined;
  device: Reference;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  bodySite?: CodeableConcept | undefined;
  note?: Annotation[] | undefined;
}

export interface BodyStructure extends DomainResource {
  readonly resourceType: 'BodyStructure';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  morphology?: CodeableConcept | undefined;
  location?: CodeableConcept | undefined;
  locationQualifier?: CodeableConcept[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  image?: Attachment[] | undefined;
  patient: Reference;
}

export interface Attachment extends Element {
  contentType?: string | undefined;
  _contentType?: Element | undefined;
  language?: string | undefined;
  _language?: Element | undefined;
  data?: string | undefined;
  _data?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  size?: number | undefined;
  _size?: Element | undefined;
  hash?: string | undefined;
  _hash?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  creation?: string | undefined;
  _creation?: Element | undefined;
}

export interface ExampleScenario extends DomainResource {
  readonly resourceType: 'ExampleScenario';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  actor?: ExampleScenarioActor[] | undefined;
  instance?: ExampleScenarioInstance[] | undefined;
  process?: ExampleScenarioProcess[] | undefined;
  workflow?: (string | null)[] | undefined;
  _workflow?: (Element | null)[] | undefined;
}

export interface ExampleScenarioActor extends BackboneElement {
  actorId?: string | undefined;
  _actorId?: Element | undefined;
  type?: ('person'|'entity') | undefined;
  _type?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface ExampleScenarioInstanceVersion extends BackboneElement {
  versionId?: string | undefined;
  _versionId?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface ExampleScenarioInstanceContainedInstance extends BackboneElement {
  resourceId?: string | undefined;
  _resourceId?: Element | undefined;
  versionId?: string | undefined;
  _versionId?: Element | undefined;
}

export interface ExampleScenarioInstance extends BackboneElement {
  resourceId?: string | undefined;
  _resourceId?: Element | undefined;
  resourceType?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _resourceType?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  version?: ExampleScenarioInstanceVersion[] | undefined;
  containedInstance?: ExampleScenarioInstanceContainedInstance[] | undefined;
}

export interface ExampleScenarioProcessStepOperation extends BackboneElement {
  number?: string | undefined;
  _number?: Element | undefined;
  type?: string | undefined;
  _type?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  initiator?: string | undefined;
  _initiator?: Element | undefined;
  receiver?: string | undefined;
  _receiver?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  initiatorActive?: boolean | undefined;
  _initiatorActive?: Element | undefined;
  receiverActive?: boolean | undefined;
  _receiverActive?: Element | undefined;
  request?: ExampleScenarioInstanceContainedInstance | undefined;
  response?: ExampleScenarioInstanceContainedInstance | undefined;
}

export interface ExampleScenarioProcessStepAlternative extends BackboneElement {
  title?: string | undefined;
  _title?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  step?: ExampleScenarioProcessStep[] | undefined;
}

export interface ExampleScenarioProcessStep extends BackboneElement {
  process?: ExampleScenarioProcess[] | undefined;
  pause?: boolean | undefined;
  _pause?: Element | undefined;
  operation?: ExampleScenarioProcessStepOperation | undefined;
  alternative?: ExampleScenarioProcessStepAlternative[] | undefined;
}

export interface ExampleScenarioProcess extends BackboneElement {
  title?: string | undefined;
  _title?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  preConditions?: string | undefined;
  _preConditions?: Element | undefined;
  postConditions?: string | undefined;
  _postConditions?: Element | undefined;
  step?: ExampleScenarioProcessStep[] | undefined;
}

export interface Appointment extends DomainResource {
  readonly resourceType: 'Appointment';
  identifier?: Identifier[] | undefined;
  status?: ('proposed'|'pending'|'booked'|'arrived'|'fulfilled'|'cancelled'|'noshow'|'entered-in-error'|'checked-in'|'waitlist') | undefined;
  _status?: Element | undefined;
  cancelationReason?: CodeableConcept | undefined;
  serviceCategory?: CodeableConcept[] | undefined;
  serviceType?: CodeableConcept[] | undefined;
  specialty?: CodeableConcept[] | undefined;
  appointmentType?: CodeableConcept | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  priority?: number | undefined;
  _priority?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  supportingInformation?: Reference[] | undefined;
  start?: string | undefined;
  _start?: Element | undefined;
  end?: string | undefined;
  _end?: Element | undefined;
  minutesDuration?: number | undefined;
  _minutesDuration?: Element | undefined;
  slot?: Reference[] | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  patientInstruction?: string | undefined;
  _patientInstruction?: Element | undefined;
  basedOn?: Reference[] | undefined;
  participant: AppointmentParticipant[];
  requestedPeriod?: Period[] | undefined;
}

export interface AppointmentParticipant extends BackboneElement {
  type?: CodeableConcept[] | undefined;
  actor?: Reference | undefined;
  required?: ('required'|'optional'|'information-only') | undefined;
  _required?: Element | undefined;
  status?: ('accepted'|'declined'|'tentative'|'needs-action') | undefined;
  _status?: Element | undefined;
  period?: Period | undefined;
}

export interface RelatedArtifact extends Element {
  type?: ('documentation'|'justification'|'citation'|'predecessor'|'successor'|'derived-from'|'depends-on'|'composed-of') | undefined;
  _type?: Element | undefined;
  label?: string | undefined;
  _label?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  citation?: string | undefined;
  _citation?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  document?: Attachment | undefined;
  resource?: string | undefined;
  _resource?: Element | undefined;
}

export interface Condition extends DomainResource {
  readonly resourceType: 'Condition';
  identifier?: Identifier[] | undefined;
  clinicalStatus?: CodeableConcept | undefined;
  verificationStatus?: CodeableConcept | undefined;
  category?: CodeableConcept[] | undefined;
  severity?: CodeableConcept | undefined;
  code?: CodeableConcept | undefined;
  bodySite?: CodeableConcept[] | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  onsetDateTime?: string | undefined;
  _onsetDateTime?: Element | undefined;
  onsetAge?: Age | undefined;
  onsetPeriod?: Period | undefined;
  onsetRange?: Range | undefined;
  onsetString?: string | undefined;
  _onsetString?: Element | undefined;
  abatementDateTime?: string | undefined;
  _abatementDateTime?: Element | undefined;
  abatementAge?: Age | undefined;
  abatementPeriod?: Period | undefined;
  abatementRange?: Range | undefined;
  abatementString?: string | undefined;
  _abatementString?: Element | undefined;
  recordedDate?: string | undefined;
  _recordedDate?: Element | undefined;
  recorder?: Reference | undefined;
  asserter?: Reference | undefined;
  stage?: ConditionStage[] | undefined;
  evidence?: ConditionEvidence[] | undefined;
  note?: Annotation[] | undefined;
}

export interface ConditionStage extends BackboneElement {
  summary?: CodeableConcept | undefined;
  assessment?: Reference[] | undefined;
  type?: CodeableConcept | undefined;
}

export interface ConditionEvidence extends BackboneElement {
  code?: CodeableConcept[] | undefined;
  detail?: Reference[] | undefined;
}

export interface List extends DomainResource {
  readonly resourceType: 'List';
  identifier?: Identifier[] | undefined;
  status?: ('current'|'retired'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  mode?: ('working'|'snapshot'|'changes') | undefined;
  _mode?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  code?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  source?: Reference | undefined;
  orderedBy?: CodeableConcept | undefined;
  note?: Annotation[] | undefined;
  entry?: ListEntry[] | undefined;
  emptyReason?: CodeableConcept | undefined;
}

export interface ListEntry extends BackboneElement {
  flag?: CodeableConcept | undefined;
  deleted?: boolean | undefined;
  _deleted?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  item: Reference;
}

export interface ChargeItem extends DomainResource {
  readonly resourceType: 'ChargeItem';
  identifier?: Identifier[] | undefined;
  definitionUri?: (string | null)[] | undefined;
  _definitionUri?: (Element | null)[] | undefined;
  definitionCanonical?: (string | null)[] | undefined;
  _definitionCanonical?: (Element | null)[] | undefined;
  status?: ('planned'|'billable'|'not-billable'|'aborted'|'billed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  partOf?: Reference[] | undefined;
  code: CodeableConcept;
  subject: Reference;
  context?: Reference | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  occurrenceTiming?: Timing | undefined;
  performer?: ChargeItemPerformer[] | undefined;
  performingOrganization?: Reference | undefined;
  requestingOrganization?: Reference | undefined;
  costCenter?: Reference | undefined;
  quantity?: Quantity | undefined;
  bodysite?: CodeableConcept[] | undefined;
  factorOverride?: number | undefined;
  _factorOverride?: Element | undefined;
  priceOverride?: Money | undefined;
  overrideReason?: string | undefined;
  _overrideReason?: Element | undefined;
  enterer?: Reference | undefined;
  enteredDate?: string | undefined;
  _enteredDate?: Element | undefined;
  reason?: CodeableConcept[] | undefined;
  service?: Reference[] | undefined;
  productReference?: Reference | undefined;
  productCodeableConcept?: CodeableConcept | undefined;
  account?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  supportingInformation?: Reference[] | undefined;
}

export interface ChargeItemPerformer extends BackboneElement {
  function?: CodeableConcept | undefined;
  actor: Reference;
}

export interface Count extends Quantity {
}

export interface VerificationResult extends DomainResource {
  readonly resourceType: 'VerificationResult';
  target?: Reference[] | undefined;
  targetLocation?: (string | null)[] | undefined;
  _targetLocation?: (Element | null)[] | undefined;
  need?: CodeableConcept | undefined;
  status?: ('attested'|'validated'|'in-process'|'req-revalid'|'val-fail'|'reval-fail') | undefined;
  _status?: Element | undefined;
  statusDate?: string | undefined;
  _statusDate?: Element | undefined;
  validationType?: CodeableConcept | undefined;
  validationProcess?: CodeableConcept[] | undefined;
  frequency?: Timing | undefined;
  lastPerformed?: string | undefined;
  _lastPerformed?: Element | undefined;
  nextScheduled?: string | undefined;
  _nextScheduled?: Element | undefined;
  failureAction?: CodeableConcept | undefined;
  primarySource?: VerificationResultPrimarySource[] | undefined;
  attestation?: VerificationResultAttestation | undefined;
  validator?: VerificationResultValidator[] | undefined;
}

export interface VerificationResultPrimarySource extends BackboneElement {
  who?: Reference | undefined;
  type?: CodeableConcept[] | undefined;
  communicationMethod?: CodeableConcept[] | undefined;
  validationStatus?: CodeableConcept | undefined;
  validationDate?: string | undefined;
  _validationDate?: Element | undefined;
  canPushUpdates?: CodeableConcept | undefined;
  pushTypeAvailable?: CodeableConcept[] | undefined;
}

export interface VerificationResultAttestation extends BackboneElement {
  who?: Reference | undefined;
  onBehalfOf?: Reference | undefined;
  communicationMethod?: CodeableConcept | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  sourceIdentityCertificate?: string | undefined;
  _sourceIdentityCertificate?: Element | undefined;
  proxyIdentityCertificate?: string | undefined;
  _proxyIdentityCertificate?: Element | undefined;
  proxySignature?: Signature | undefined;
  sourceSignature?: Signature | undefined;
}

export interface VerificationResultValidator extends BackboneElement {
  organization: Reference;
  identityCertificate?: string | undefined;
  _identityCertificate?: Element | undefined;
  attestationSignature?: Signature | undefined;
}

export interface MedicinalProductUndesirableEffect extends DomainResource {
  readonly resourceType: 'MedicinalProductUndesirableEffect';
  subject?: Reference[] | undefined;
  symptomConditionEffect?: CodeableConcept | undefined;
  classification?: CodeableConcept | undefined;
  frequencyOfOccurrence?: CodeableConcept | undefined;
  population?: Population[] | undefined;
}

export interface ContactDetail extends Element {
  name?: string | undefined;
  _name?: Element | undefined;
  telecom?: ContactPoint[] | undefined;
}

export interface Media extends DomainResource {
  readonly resourceType: 'Media';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('preparation'|'in-progress'|'not-done'|'on-hold'|'stopped'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  type?: CodeableConcept | undefined;
  modality?: CodeableConcept | undefined;
  view?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  createdDateTime?: string | undefined;
  _createdDateTime?: Element | undefined;
  createdPeriod?: Period | undefined;
  issued?: string | undefined;
  _issued?: Element | undefined;
  operator?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  bodySite?: CodeableConcept | undefined;
  deviceName?: string | undefined;
  _deviceName?: Element | undefined;
  device?: Reference | undefined;
  height?: number | undefined;
  _height?: Element | undefined;
  width?: number | undefined;
  _width?: Element | undefined;
  frames?: number | undefined;
  _frames?: Element | undefined;
  duration?: number | undefined;
  _duration?: Element | undefined;
  content: Attachment;
  note?: Annotation[] | undefined;
}

export interface SupplyDelivery extends DomainResource {
  readonly resourceType: 'SupplyDelivery';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('in-progress'|'completed'|'abandoned'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  patient?: Reference | undefined;
  type?: CodeableConcept | undefined;
  suppliedItem?: SupplyDeliverySuppliedItem | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  occurrenceTiming?: Timing | undefined;
  supplier?: Reference | undefined;
  destination?: Reference | undefined;
  receiver?: Reference[] | undefined;
}

export interface SupplyDeliverySuppliedItem extends BackboneElement {
  quantity?: Quantity | undefined;
  itemCodeableConcept?: CodeableConcept | undefined;
  itemReference?: Reference | undefined;
}

export interface Composition extends DomainResource {
  readonly resourceType: 'Composition';
  identifier?: Identifier | undefined;
  status?: ('preliminary'|'final'|'amended'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type: CodeableConcept;
  category?: CodeableConcept[] | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  author: Reference[];
  title?: string | undefined;
  _title?: Element | undefined;
  confidentiality?: ('U'|'L'|'M'|'N'|'R'|'V') | undefined;
  _confidentiality?: Element | undefined;
  attester?: CompositionAttester[] | undefined;
  custodian?: Reference | undefined;
  relatesTo?: CompositionRelatesTo[] | undefined;
  event?: CompositionEvent[] | undefined;
  section?: CompositionSection[] | undefined;
}

export interface CompositionAttester extends BackboneElement {
  mode?: ('personal'|'professional'|'legal'|'official') | undefined;
  _mode?: Element | undefined;
  time?: string | undefined;
  _time?: Element | undefined;
  party?: Reference | undefined;
}

export interface CompositionRelatesTo extends BackboneElement {
  code?: ('replaces'|'transforms'|'signs'|'appends') | undefined;
  _code?: Element | undefined;
  targetIdentifier?: Identifier | undefined;
  targetReference?: Reference | undefined;
}

export interface CompositionEvent extends BackboneElement {
  code?: CodeableConcept[] | undefined;
  period?: Period | undefined;
  detail?: Reference[] | undefined;
}

export interface CompositionSection extends BackboneElement {
  title?: string | undefined;
  _title?: Element | undefined;
  code?: CodeableConcept | undefined;
  author?: Reference[] | undefined;
  focus?: Reference | undefined;
  text?: Narrative | undefined;
  mode?: ('working'|'snapshot'|'changes') | undefined;
  _mode?: Element | undefined;
  orderedBy?: CodeableConcept | undefined;
  entry?: Reference[] | undefined;
  emptyReason?: CodeableConcept | undefined;
  section?: CompositionSection[] | undefined;
}

export interface Encounter extends DomainResource {
  readonly resourceType: 'Encounter';
  identifier?: Identifier[] | undefined;
  status?: ('planned'|'arrived'|'triaged'|'in-progress'|'onleave'|'finished'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  statusHistory?: EncounterStatusHistory[] | undefined;
  class: Coding;
  classHistory?: EncounterClassHistory[] | undefined;
  type?: CodeableConcept[] | undefined;
  serviceType?: CodeableConcept | undefined;
  priority?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  episodeOfCare?: Reference[] | undefined;
  basedOn?: Reference[] | undefined;
  participant?: EncounterParticipant[] | undefined;
  appointment?: Reference[] | undefined;
  period?: Period | undefined;
  length?: Duration | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  diagnosis?: EncounterDiagnosis[] | undefined;
  account?: Reference[] | undefined;
  hospitalization?: EncounterHospitalization | undefined;
  location?: EncounterLocation[] | undefined;
  serviceProvider?: Reference | undefined;
  partOf?: Reference | undefined;
}

export interface EncounterStatusHistory extends BackboneElement {
  status?: ('planned'|'arrived'|'triaged'|'in-progress'|'onleave'|'finished'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  period: Period;
}

export interface EncounterClassHistory extends BackboneElement {
  class: Coding;
  period: Period;
}

export interface EncounterParticipant extends BackboneElement {
  type?: CodeableConcept[] | undefined;
  period?: Period | undefined;
  individual?: Reference | undefined;
}

export interface EncounterDiagnosis extends BackboneElement {
  condition: Reference;
  use?: CodeableConcept | undefined;
  rank?: number | undefined;
  _rank?: Element | undefined;
}

export interface EncounterHospitalization extends BackboneElement {
  preAdmissionIdentifier?: Identifier | undefined;
  origin?: Reference | undefined;
  admitSource?: CodeableConcept | undefined;
  reAdmission?: CodeableConcept | undefined;
  dietPreference?: CodeableConcept[] | undefined;
  specialCourtesy?: CodeableConcept[] | undefined;
  specialArrangement?: CodeableConcept[] | undefined;
  destination?: Reference | undefined;
  dischargeDisposition?: CodeableConcept | undefined;
}

export interface EncounterLocation extends BackboneElement {
  location: Reference;
  status?: ('planned'|'active'|'reserved'|'completed') | undefined;
  _status?: Element | undefined;
  physicalType?: CodeableConcept | undefined;
  period?: Period | undefined;
}

export interface MedicationAdministration extends DomainResource {
  readonly resourceType: 'MedicationAdministration';
  identifier?: Identifier[] | undefined;
  instantiates?: (string | null)[] | undefined;
  _instantiates?: (Element | null)[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('in-progress'|'not-done'|'on-hold'|'completed'|'entered-in-error'|'stopped'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept[] | undefined;
  category?: CodeableConcept | undefined;
  medicationCodeableConcept?: CodeableConcept | undefined;
  medicationReference?: Reference | undefined;
  subject: Reference;
  context?: Reference | undefined;
  supportingInformation?: Reference[] | undefined;
  effectiveDateTime?: string | undefined;
  _effectiveDateTime?: Element | undefined;
  effectivePeriod?: Period | undefined;
  performer?: MedicationAdministrationPerformer[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  request?: Reference | undefined;
  device?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  dosage?: MedicationAdministrationDosage | undefined;
  eventHistory?: Reference[] | undefined;
}

export interface MedicationAdministrationPerformer extends BackboneElement {
  function?: CodeableConcept | undefined;
  actor: Reference;
}

export interface MedicationAdministrationDosage extends BackboneElement {
  text?: string | undefined;
  _text?: Element | undefined;
  site?: CodeableConcept | undefined;
  route?: CodeableConcept | undefined;
  method?: CodeableConcept | undefined;
  dose?: Quantity | undefined;
  rateRatio?: Ratio | undefined;
  rateQuantity?: Quantity | undefined;
}

export interface DocumentManifest extends DomainResource {
  readonly resourceType: 'DocumentManifest';
  masterIdentifier?: Identifier | undefined;
  identifier?: Identifier[] | undefined;
  status?: ('current'|'superseded'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  author?: Reference[] | undefined;
  recipient?: Reference[] | undefined;
  source?: string | undefined;
  _source?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  content: Reference[];
  related?: DocumentManifestRelated[] | undefined;
}

export interface DocumentManifestRelated extends BackboneElement {
  identifier?: Identifier | undefined;
  ref?: Reference | undefined;
}

export interface Claim extends DomainResource {
  readonly resourceType: 'Claim';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type: CodeableConcept;
  subType?: CodeableConcept | undefined;
  use?: ('claim'|'preauthorization'|'predetermination') | undefined;
  _use?: Element | undefined;
  patient: Reference;
  billablePeriod?: Period | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  enterer?: Reference | undefined;
  insurer?: Reference | undefined;
  provider: Reference;
  priority: CodeableConcept;
  fundsReserve?: CodeableConcept | undefined;
  related?: ClaimRelated[] | undefined;
  prescription?: Reference | undefined;
  originalPrescription?: Reference | undefined;
  payee?: ClaimPayee | undefined;
  referral?: Reference | undefined;
  facility?: Reference | undefined;
  careTeam?: ClaimCareTeam[] | undefined;
  supportingInfo?: ClaimSupportingInfo[] | undefined;
  diagnosis?: ClaimDiagnosis[] | undefined;
  procedure?: ClaimProcedure[] | undefined;
  insurance: ClaimInsurance[];
  accident?: ClaimAccident | undefined;
  item?: ClaimItem[] | undefined;
  total?: Money | undefined;
}

export interface ClaimRelated extends BackboneElement {
  claim?: Reference | undefined;
  relationship?: CodeableConcept | undefined;
  reference?: Identifier | undefined;
}

export interface ClaimPayee extends BackboneElement {
  type: CodeableConcept;
  party?: Reference | undefined;
}

export interface ClaimCareTeam extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  provider: Reference;
  responsible?: boolean | undefined;
  _responsible?: Element | undefined;
  role?: CodeableConcept | undefined;
  qualification?: CodeableConcept | undefined;
}

export interface ClaimSupportingInfo extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  category: CodeableConcept;
  code?: CodeableConcept | undefined;
  timingDate?: string | undefined;
  _timingDate?: Element | undefined;
  timingPeriod?: Period | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueQuantity?: Quantity | undefined;
  valueAttachment?: Attachment | undefined;
  valueReference?: Reference | undefined;
  reason?: CodeableConcept | undefined;
}

export interface ClaimDiagnosis extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  diagnosisCodeableConcept?: CodeableConcept | undefined;
  diagnosisReference?: Reference | undefined;
  type?: CodeableConcept[] | undefined;
  onAdmission?: CodeableConcept | undefined;
  packageCode?: CodeableConcept | undefined;
}

export interface ClaimProcedure extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  type?: CodeableConcept[] | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  procedureCodeableConcept?: CodeableConcept | undefined;
  procedureReference?: Reference | undefined;
  udi?: Reference[] | undefined;
}

export interface ClaimInsurance extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  focal?: boolean | undefined;
  _focal?: Element | undefined;
  identifier?: Identifier | undefined;
  coverage: Reference;
  businessArrangement?: string | undefined;
  _businessArrangement?: Element | undefined;
  preAuthRef?: (string | null)[] | undefined;
  _preAuthRef?: (Element | null)[] | undefined;
  claimResponse?: Reference | undefined;
}

export interface ClaimAccident extends BackboneElement {
  date?: string | undefined;
  _date?: Element | undefined;
  type?: CodeableConcept | undefined;
  locationAddress?: Address | undefined;
  locationReference?: Reference | undefined;
}

export interface ClaimItemDetailSubDetail extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  revenue?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  udi?: Reference[] | undefined;
}

export interface ClaimItemDetail extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  revenue?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  udi?: Reference[] | undefined;
  subDetail?: ClaimItemDetailSubDetail[] | undefined;
}

export interface ClaimItem extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  careTeamSequence?: (number | null)[] | undefined;
  _careTeamSequence?: (Element | null)[] | undefined;
  diagnosisSequence?: (number | null)[] | undefined;
  _diagnosisSequence?: (Element | null)[] | undefined;
  procedureSequence?: (number | null)[] | undefined;
  _procedureSequence?: (Element | null)[] | undefined;
  informationSequence?: (number | null)[] | undefined;
  _informationSequence?: (Element | null)[] | undefined;
  revenue?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  servicedDate?: string | undefined;
  _servicedDate?: Element | undefined;
  servicedPeriod?: Period | undefined;
  locationCodeableConcept?: CodeableConcept | undefined;
  locationAddress?: Address | undefined;
  locationReference?: Reference | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  udi?: Reference[] | undefined;
  bodySite?: CodeableConcept | undefined;
  subSite?: CodeableConcept[] | undefined;
  encounter?: Reference[] | undefined;
  detail?: ClaimItemDetail[] | undefined;
}

export interface DeviceMetric extends DomainResource {
  readonly resourceType: 'DeviceMetric';
  identifier?: Identifier[] | undefined;
  type: CodeableConcept;
  unit?: CodeableConcept | undefined;
  source?: Reference | undefined;
  parent?: Reference | undefined;
  operationalStatus?: ('on'|'off'|'standby'|'entered-in-error') | undefined;
  _operationalStatus?: Element | undefined;
  color?: ('black'|'red'|'green'|'yellow'|'blue'|'magenta'|'cyan'|'white') | undefined;
  _color?: Element | undefined;
  category?: ('measurement'|'setting'|'calculation'|'unspecified') | undefined;
  _category?: Element | undefined;
  measurementPeriod?: Timing | undefined;
  calibration?: DeviceMetricCalibration[] | undefined;
}

export interface DeviceMetricCalibration extends BackboneElement {
  type?: ('unspecified'|'offset'|'gain'|'two-point') | undefined;
  _type?: Element | undefined;
  state?: ('not-calibrated'|'calibration-required'|'calibrated'|'unspecified') | undefined;
  _state?: Element | undefined;
  time?: string | undefined;
  _time?: Element | undefined;
}

export interface ElementDefinition extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  representation?: (('xmlAttr'|'xmlText'|'typeAttr'|'cdaText'|'xhtml') | null)[] | undefined;
  _representation?: (Element | null)[] | undefined;
  sliceName?: string | undefined;
  _sliceName?: Element | undefined;
  sliceIsConstraining?: boolean | undefined;
  _sliceIsConstraining?: Element | undefined;
  label?: string | undefined;
  _label?: Element | undefined;
  code?: Coding[] | undefined;
  slicing?: ElementDefinitionSlicing | undefined;
  short?: string | undefined;
  _short?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  requirements?: string | undefined;
  _requirements?: Element | undefined;
  alias?: (string | null)[] | undefined;
  _alias?: (Element | null)[] | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
  base?: ElementDefinitionBase | undefined;
  contentReference?: string | undefined;
  _contentReference?: Element | undefined;
  type?: ElementDefinitionType[] | undefined;
  defaultValueBase64Binary?: string | undefined;
  _defaultValueBase64Binary?: Element | undefined;
  defaultValueBoolean?: boolean | undefined;
  _defaultValueBoolean?: Element | undefined;
  defaultValueCanonical?: string | undefined;
  _defaultValueCanonical?: Element | undefined;
  defaultValueCode?: string | undefined;
  _defaultValueCode?: Element | undefined;
  defaultValueDate?: string | undefined;
  _defaultValueDate?: Element | undefined;
  defaultValueDateTime?: string | undefined;
  _defaultValueDateTime?: Element | undefined;
  defaultValueDecimal?: number | undefined;
  _defaultValueDecimal?: Element | undefined;
  defaultValueId?: string | undefined;
  _defaultValueId?: Element | undefined;
  defaultValueInstant?: string | undefined;
  _defaultValueInstant?: Element | undefined;
  defaultValueInteger?: number | undefined;
  _defaultValueInteger?: Element | undefined;
  defaultValueMarkdown?: string | undefined;
  _defaultValueMarkdown?: Element | undefined;
  defaultValueOid?: string | undefined;
  _defaultValueOid?: Element | undefined;
  defaultValuePositiveInt?: number | undefined;
  _defaultValuePositiveInt?: Element | undefined;
  defaultValueString?: string | undefined;
  _defaultValueString?: Element | undefined;
  defaultValueTime?: string | undefined;
  _defaultValueTime?: Element | undefined;
  defaultValueUnsignedInt?: number | undefined;
  _defaultValueUnsignedInt?: Element | undefined;
  defaultValueUri?: string | undefined;
  _defaultValueUri?: Element | undefined;
  defaultValueUrl?: string | undefined;
  _defaultValueUrl?: Element | undefined;
  defaultValueUuid?: string | undefined;
  _defaultValueUuid?: Element | undefined;
  defaultValueAddress?: Address | undefined;
  defaultValueAge?: Age | undefined;
  defaultValueAnnotation?: Annotation | undefined;
  defaultValueAttachment?: Attachment | undefined;
  defaultValueCodeableConcept?: CodeableConcept | undefined;
  defaultValueCoding?: Coding | undefined;
  defaultValueContactPoint?: ContactPoint | undefined;
  defaultValueCount?: Count | undefined;
  defaultValueDistance?: Distance | undefined;
  defaultValueDuration?: Duration | undefined;
  defaultValueHumanName?: HumanName | undefined;
  defaultValueIdentifier?: Identifier | undefined;
  defaultValueMoney?: Money | undefined;
  defaultValuePeriod?: Period | undefined;
  defaultValueQuantity?: Quantity | undefined;
  defaultValueRange?: Range | undefined;
  defaultValueRatio?: Ratio | undefined;
  defaultValueReference?: Reference | undefined;
  defaultValueSampledData?: SampledData | undefined;
  defaultValueSignature?: Signature | undefined;
  defaultValueTiming?: Timing | undefined;
  defaultValueContactDetail?: ContactDetail | undefined;
  defaultValueContributor?: Contributor | undefined;
  defaultValueDataRequirement?: DataRequirement | undefined;
  defaultValueExpression?: Expression | undefined;
  defaultValueParameterDefinition?: ParameterDefinition | undefined;
  defaultValueRelatedArtifact?: RelatedArtifact | undefined;
  defaultValueTriggerDefinition?: TriggerDefinition | undefined;
  defaultValueUsageContext?: UsageContext | undefined;
  defaultValueDosage?: Dosage | undefined;
  defaultValueMeta?: Meta | undefined;
  meaningWhenMissing?: string | undefined;
  _meaningWhenMissing?: Element | undefined;
  orderMeaning?: string | undefined;
  _orderMeaning?: Element | undefined;
  fixedBase64Binary?: string | undefined;
  _fixedBase64Binary?: Element | undefined;
  fixedBoolean?: boolean | undefined;
  _fixedBoolean?: Element | undefined;
  fixedCanonical?: string | undefined;
  _fixedCanonical?: Element | undefined;
  fixedCode?: string | undefined;
  _fixedCode?: Element | undefined;
  fixedDate?: string | undefined;
  _fixedDate?: Element | undefined;
  fixedDateTime?: string | undefined;
  _fixedDateTime?: Element | undefined;
  fixedDecimal?: number | undefined;
  _fixedDecimal?: Element | undefined;
  fixedId?: string | undefined;
  _fixedId?: Element | undefined;
  fixedInstant?: string | undefined;
  _fixedInstant?: Element | undefined;
  fixedInteger?: number | undefined;
  _fixedInteger?: Element | undefined;
  fixedMarkdown?: string | undefined;
  _fixedMarkdown?: Element | undefined;
  fixedOid?: string | undefined;
  _fixedOid?: Element | undefined;
  fixedPositiveInt?: number | undefined;
  _fixedPositiveInt?: Element | undefined;
  fixedString?: string | undefined;
  _fixedString?: Element | undefined;
  fixedTime?: string | undefined;
  _fixedTime?: Element | undefined;
  fixedUnsignedInt?: number | undefined;
  _fixedUnsignedInt?: Element | undefined;
  fixedUri?: string | undefined;
  _fixedUri?: Element | undefined;
  fixedUrl?: string | undefined;
  _fixedUrl?: Element | undefined;
  fixedUuid?: string | undefined;
  _fixedUuid?: Element | undefined;
  fixedAddress?: Address | undefined;
  fixedAge?: Age | undefined;
  fixedAnnotation?: Annotation | undefined;
  fixedAttachment?: Attachment | undefined;
  fixedCodeableConcept?: CodeableConcept | undefined;
  fixedCoding?: Coding | undefined;
  fixedContactPoint?: ContactPoint | undefined;
  fixedCount?: Count | undefined;
  fixedDistance?: Distance | undefined;
  fixedDuration?: Duration | undefined;
  fixedHumanName?: HumanName | undefined;
  fixedIdentifier?: Identifier | undefined;
  fixedMoney?: Money | undefined;
  fixedPeriod?: Period | undefined;
  fixedQuantity?: Quantity | undefined;
  fixedRange?: Range | undefined;
  fixedRatio?: Ratio | undefined;
  fixedReference?: Reference | undefined;
  fixedSampledData?: SampledData | undefined;
  fixedSignature?: Signature | undefined;
  fixedTiming?: Timing | undefined;
  fixedContactDetail?: ContactDetail | undefined;
  fixedContributor?: Contributor | undefined;
  fixedDataRequirement?: DataRequirement | undefined;
  fixedExpression?: Expression | undefined;
  fixedParameterDefinition?: ParameterDefinition | undefined;
  fixedRelatedArtifact?: RelatedArtifact | undefined;
  fixedTriggerDefinition?: TriggerDefinition | undefined;
  fixedUsageContext?: UsageContext | undefined;
  fixedDosage?: Dosage | undefined;
  fixedMeta?: Meta | undefined;
  patternBase64Binary?: string | undefined;
  _patternBase64Binary?: Element | undefined;
  patternBoolean?: boolean | undefined;
  _patternBoolean?: Element | undefined;
  patternCanonical?: string | undefined;
  _patternCanonical?: Element | undefined;
  patternCode?: string | undefined;
  _patternCode?: Element | undefined;
  patternDate?: string | undefined;
  _patternDate?: Element | undefined;
  patternDateTime?: string | undefined;
  _patternDateTime?: Element | undefined;
  patternDecimal?: number | undefined;
  _patternDecimal?: Element | undefined;
  patternId?: string | undefined;
  _patternId?: Element | undefined;
  patternInstant?: string | undefined;
  _patternInstant?: Element | undefined;
  patternInteger?: number | undefined;
  _patternInteger?: Element | undefined;
  patternMarkdown?: string | undefined;
  _patternMarkdown?: Element | undefined;
  patternOid?: string | undefined;
  _patternOid?: Element | undefined;
  patternPositiveInt?: number | undefined;
  _patternPositiveInt?: Element | undefined;
  patternString?: string | undefined;
  _patternString?: Element | undefined;
  patternTime?: string | undefined;
  _patternTime?: Element | undefined;
  patternUnsignedInt?: number | undefined;
  _patternUnsignedInt?: Element | undefined;
  patternUri?: string | undefined;
  _patternUri?: Element | undefined;
  patternUrl?: string | undefined;
  _patternUrl?: Element | undefined;
  patternUuid?: string | undefined;
  _patternUuid?: Element | undefined;
  patternAddress?: Address | undefined;
  patternAge?: Age | undefined;
  patternAnnotation?: Annotation | undefined;
  patternAttachment?: Attachment | undefined;
  patternCodeableConcept?: CodeableConcept | undefined;
  patternCoding?: Coding | undefined;
  patternContactPoint?: ContactPoint | undefined;
  patternCount?: Count | undefined;
  patternDistance?: Distance | undefined;
  patternDuration?: Duration | undefined;
  patternHumanName?: HumanName | undefined;
  patternIdentifier?: Identifier | undefined;
  patternMoney?: Money | undefined;
  patternPeriod?: Period | undefined;
  patternQuantity?: Quantity | undefined;
  patternRange?: Range | undefined;
  patternRatio?: Ratio | undefined;
  patternReference?: Reference | undefined;
  patternSampledData?: SampledData | undefined;
  patternSignature?: Signature | undefined;
  patternTiming?: Timing | undefined;
  patternContactDetail?: ContactDetail | undefined;
  patternContributor?: Contributor | undefined;
  patternDataRequirement?: DataRequirement | undefined;
  patternExpression?: Expression | undefined;
  patternParameterDefinition?: ParameterDefinition | undefined;
  patternRelatedArtifact?: RelatedArtifact | undefined;
  patternTriggerDefinition?: TriggerDefinition | undefined;
  patternUsageContext?: UsageContext | undefined;
  patternDosage?: Dosage | undefined;
  patternMeta?: Meta | undefined;
  example?: ElementDefinitionExample[] | undefined;
  minValueDate?: string | undefined;
  _minValueDate?: Element | undefined;
  minValueDateTime?: string | undefined;
  _minValueDateTime?: Element | undefined;
  minValueInstant?: string | undefined;
  _minValueInstant?: Element | undefined;
  minValueTime?: string | undefined;
  _minValueTime?: Element | undefined;
  minValueDecimal?: number | undefined;
  _minValueDecimal?: Element | undefined;
  minValueInteger?: number | undefined;
  _minValueInteger?: Element | undefined;
  minValuePositiveInt?: number | undefined;
  _minValuePositiveInt?: Element | undefined;
  minValueUnsignedInt?: number | undefined;
  _minValueUnsignedInt?: Element | undefined;
  minValueQuantity?: Quantity | undefined;
  maxValueDate?: string | undefined;
  _maxValueDate?: Element | undefined;
  maxValueDateTime?: string | undefined;
  _maxValueDateTime?: Element | undefined;
  maxValueInstant?: string | undefined;
  _maxValueInstant?: Element | undefined;
  maxValueTime?: string | undefined;
  _maxValueTime?: Element | undefined;
  maxValueDecimal?: number | undefined;
  _maxValueDecimal?: Element | undefined;
  maxValueInteger?: number | undefined;
  _maxValueInteger?: Element | undefined;
  maxValuePositiveInt?: number | undefined;
  _maxValuePositiveInt?: Element | undefined;
  maxValueUnsignedInt?: number | undefined;
  _maxValueUnsignedInt?: Element | undefined;
  maxValueQuantity?: Quantity | undefined;
  maxLength?: number | undefined;
  _maxLength?: Element | undefined;
  condition?: (string | null)[] | undefined;
  _condition?: (Element | null)[] | undefined;
  constraint?: ElementDefinitionConstraint[] | undefined;
  mustSupport?: boolean | undefined;
  _mustSupport?: Element | undefined;
  isModifier?: boolean | undefined;
  _isModifier?: Element | undefined;
  isModifierReason?: string | undefined;
  _isModifierReason?: Element | undefined;
  isSummary?: boolean | undefined;
  _isSummary?: Element | undefined;
  binding?: ElementDefinitionBinding | undefined;
  mapping?: ElementDefinitionMapping[] | undefined;
}

export interface ElementDefinitionSlicingDiscriminator extends BackboneElement {
  type?: ('value'|'exists'|'pattern'|'type'|'profile') | undefined;
  _type?: Element | undefined;
  path?: string | undefined;
  _path?: Element | undefined;
}

export interface ElementDefinitionSlicing extends BackboneElement {
  discriminator?: ElementDefinitionSlicingDiscriminator[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  ordered?: boolean | undefined;
  _ordered?: Element | undefined;
  rules?: ('closed'|'open'|'openAtEnd') | undefined;
  _rules?: Element | undefined;
}

export interface ElementDefinitionBase extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
}

export interface ElementDefinitionType extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  profile?: (string | null)[] | undefined;
  _profile?: (Element | null)[] | undefined;
  targetProfile?: (string | null)[] | undefined;
  _targetProfile?: (Element | null)[] | undefined;
  aggregation?: (('contained'|'referenced'|'bundled') | null)[] | undefined;
  _aggregation?: (Element | null)[] | undefined;
  versioning?: ('either'|'independent'|'specific') | undefined;
  _versioning?: Element | undefined;
}

export interface ElementDefinitionExample extends BackboneElement {
  label?: string | undefined;
  _label?: Element | undefined;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueCanonical?: string | undefined;
  _valueCanonical?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueId?: string | undefined;
  _valueId?: Element | undefined;
  valueInstant?: string | undefined;
  _valueInstant?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueMarkdown?: string | undefined;
  _valueMarkdown?: Element | undefined;
  valueOid?: string | undefined;
  _valueOid?: Element | undefined;
  valuePositiveInt?: number | undefined;
  _valuePositiveInt?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueUnsignedInt?: number | undefined;
  _valueUnsignedInt?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueUrl?: string | undefined;
  _valueUrl?: Element | undefined;
  valueUuid?: string | undefined;
  _valueUuid?: Element | undefined;
  valueAddress?: Address | undefined;
  valueAge?: Age | undefined;
  valueAnnotation?: Annotation | undefined;
  valueAttachment?: Attachment | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueCoding?: Coding | undefined;
  valueContactPoint?: ContactPoint | undefined;
  valueCount?: Count | undefined;
  valueDistance?: Distance | undefined;
  valueDuration?: Duration | undefined;
  valueHumanName?: HumanName | undefined;
  valueIdentifier?: Identifier | undefined;
  valueMoney?: Money | undefined;
  valuePeriod?: Period | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueReference?: Reference | undefined;
  valueSampledData?: SampledData | undefined;
  valueSignature?: Signature | undefined;
  valueTiming?: Timing | undefined;
  valueContactDetail?: ContactDetail | undefined;
  valueContributor?: Contributor | undefined;
  valueDataRequirement?: DataRequirement | undefined;
  valueExpression?: Expression | undefined;
  valueParameterDefinition?: ParameterDefinition | undefined;
  valueRelatedArtifact?: RelatedArtifact | undefined;
  valueTriggerDefinition?: TriggerDefinition | undefined;
  valueUsageContext?: UsageContext | undefined;
  valueDosage?: Dosage | undefined;
  valueMeta?: Meta | undefined;
}

export interface ElementDefinitionConstraint extends BackboneElement {
  key?: string | undefined;
  _key?: Element | undefined;
  requirements?: string | undefined;
  _requirements?: Element | undefined;
  severity?: ('error'|'warning') | undefined;
  _severity?: Element | undefined;
  human?: string | undefined;
  _human?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
  xpath?: string | undefined;
  _xpath?: Element | undefined;
  source?: string | undefined;
  _source?: Element | undefined;
}

export interface ElementDefinitionBinding extends BackboneElement {
  strength?: ('required'|'extensible'|'preferred'|'example') | undefined;
  _strength?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  valueSet?: string | undefined;
  _valueSet?: Element | undefined;
}

export interface ElementDefinitionMapping extends BackboneElement {
  identity?: string | undefined;
  _identity?: Element | undefined;
  language?: string | undefined;
  _language?: Element | undefined;
  map?: string | undefined;
  _map?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface TriggerDefinition extends Element {
  type?: ('named-event'|'periodic'|'data-changed'|'data-added'|'data-modified'|'data-removed'|'data-accessed'|'data-access-ended') | undefined;
  _type?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  timingTiming?: Timing | undefined;
  timingReference?: Reference | undefined;
  timingDate?: string | undefined;
  _timingDate?: Element | undefined;
  timingDateTime?: string | undefined;
  _timingDateTime?: Element | undefined;
  data?: DataRequirement[] | undefined;
  condition?: Expression | undefined;
}

export interface AuditEvent extends DomainResource {
  readonly resourceType: 'AuditEvent';
  type: Coding;
  subtype?: Coding[] | undefined;
  action?: ('C'|'R'|'U'|'D'|'E') | undefined;
  _action?: Element | undefined;
  period?: Period | undefined;
  recorded?: string | undefined;
  _recorded?: Element | undefined;
  outcome?: ('0'|'4'|'8'|'12') | undefined;
  _outcome?: Element | undefined;
  outcomeDesc?: string | undefined;
  _outcomeDesc?: Element | undefined;
  purposeOfEvent?: CodeableConcept[] | undefined;
  agent: AuditEventAgent[];
  source: AuditEventSource;
  entity?: AuditEventEntity[] | undefined;
}

export interface AuditEventAgentNetwork extends BackboneElement {
  address?: string | undefined;
  _address?: Element | undefined;
  type?: ('1'|'2'|'3'|'4'|'5') | undefined;
  _type?: Element | undefined;
}

export interface AuditEventAgent extends BackboneElement {
  type?: CodeableConcept | undefined;
  role?: CodeableConcept[] | undefined;
  who?: Reference | undefined;
  altId?: string | undefined;
  _altId?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  requestor?: boolean | undefined;
  _requestor?: Element | undefined;
  location?: Reference | undefined;
  policy?: (string | null)[] | undefined;
  _policy?: (Element | null)[] | undefined;
  media?: Coding | undefined;
  network?: AuditEventAgentNetwork | undefined;
  purposeOfUse?: CodeableConcept[] | undefined;
}

export interface AuditEventSource extends BackboneElement {
  site?: string | undefined;
  _site?: Element | undefined;
  observer: Reference;
  type?: Coding[] | undefined;
}

export interface AuditEventEntityDetail extends BackboneElement {
  type?: string | undefined;
  _type?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
}

export interface AuditEventEntity extends BackboneElement {
  what?: Reference | undefined;
  type?: Coding | undefined;
  role?: Coding | undefined;
  lifecycle?: Coding | undefined;
  securityLabel?: Coding[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  query?: string | undefined;
  _query?: Element | undefined;
  detail?: AuditEventEntityDetail[] | undefined;
}

export interface ServiceRequest extends DomainResource {
  readonly resourceType: 'ServiceRequest';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  replaces?: Reference[] | undefined;
  requisition?: Identifier | undefined;
  status?: ('draft'|'active'|'on-hold'|'revoked'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  intent?: ('proposal'|'plan'|'directive'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  doNotPerform?: boolean | undefined;
  _doNotPerform?: Element | undefined;
  code?: CodeableConcept | undefined;
  orderDetail?: CodeableConcept[] | undefined;
  quantityQuantity?: Quantity | undefined;
  quantityRatio?: Ratio | undefined;
  quantityRange?: Range | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  occurrenceTiming?: Timing | undefined;
  asNeededBoolean?: boolean | undefined;
  _asNeededBoolean?: Element | undefined;
  asNeededCodeableConcept?: CodeableConcept | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  requester?: Reference | undefined;
  performerType?: CodeableConcept | undefined;
  performer?: Reference[] | undefined;
  locationCode?: CodeableConcept[] | undefined;
  locationReference?: Reference[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  insurance?: Reference[] | undefined;
  supportingInfo?: Reference[] | undefined;
  specimen?: Reference[] | undefined;
  bodySite?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
  patientInstruction?: string | undefined;
  _patientInstruction?: Element | undefined;
  relevantHistory?: Reference[] | undefined;
}

export interface EventDefinition extends DomainResource {
  readonly resourceType: 'EventDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  trigger: TriggerDefinition[];
}

export interface CarePlan extends DomainResource {
  readonly resourceType: 'CarePlan';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  replaces?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('draft'|'active'|'on-hold'|'revoked'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  intent?: ('proposal'|'plan'|'order'|'option') | undefined;
  _intent?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  period?: Period | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  author?: Reference | undefined;
  contributor?: Reference[] | undefined;
  careTeam?: Reference[] | undefined;
  addresses?: Reference[] | undefined;
  supportingInfo?: Reference[] | undefined;
  goal?: Reference[] | undefined;
  activity?: CarePlanActivity[] | undefined;
  note?: Annotation[] | undefined;
}

export interface CarePlanActivityDetail extends BackboneElement {
  kind?: ('Appointment'|'CommunicationRequest'|'DeviceRequest'|'MedicationRequest'|'NutritionOrder'|'Task'|'ServiceRequest'|'VisionPrescription') | undefined;
  _kind?: Element | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  code?: CodeableConcept | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  goal?: Reference[] | undefined;
  status?: ('not-started'|'scheduled'|'in-progress'|'on-hold'|'completed'|'cancelled'|'stopped'|'unknown'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  doNotPerform?: boolean | undefined;
  _doNotPerform?: Element | undefined;
  scheduledTiming?: Timing | undefined;
  scheduledPeriod?: Period | undefined;
  scheduledString?: string | undefined;
  _scheduledString?: Element | undefined;
  location?: Reference | undefined;
  performer?: Reference[] | undefined;
  productCodeableConcept?: CodeableConcept | undefined;
  productReference?: Reference | undefined;
  dailyAmount?: Quantity | undefined;
  quantity?: Quantity | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface CarePlanActivity extends BackboneElement {
  outcomeCodeableConcept?: CodeableConcept[] | undefined;
  outcomeReference?: Reference[] | undefined;
  progress?: Annotation[] | undefined;
  reference?: Reference | undefined;
  detail?: CarePlanActivityDetail | undefined;
}

export interface Linkage extends DomainResource {
  readonly resourceType: 'Linkage';
  active?: boolean | undefined;
  _active?: Element | undefined;
  author?: Reference | undefined;
  item: LinkageItem[];
}

export interface LinkageItem extends BackboneElement {
  type?: ('source'|'alternate'|'historical') | undefined;
  _type?: Element | undefined;
  resource: Reference;
}

export interface CoverageEligibilityResponse extends DomainResource {
  readonly resourceType: 'CoverageEligibilityResponse';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  purpose: (('auth-requirements'|'benefits'|'discovery'|'validation') | null)[];
  _purpose?: (Element | null)[] | undefined;
  patient: Reference;
  servicedDate?: string | undefined;
  _servicedDate?: Element | undefined;
  servicedPeriod?: Period | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  requestor?: Reference | undefined;
  request: Reference;
  outcome?: ('queued'|'complete'|'error'|'partial') | undefined;
  _outcome?: Element | undefined;
  disposition?: string | undefined;
  _disposition?: Element | undefined;
  insurer: Reference;
  insurance?: CoverageEligibilityResponseInsurance[] | undefined;
  preAuthRef?: string | undefined;
  _preAuthRef?: Element | undefined;
  form?: CodeableConcept | undefined;
  error?: CoverageEligibilityResponseError[] | undefined;
}

export interface CoverageEligibilityResponseInsuranceItemBenefit extends BackboneElement {
  type: CodeableConcept;
  allowedUnsignedInt?: number | undefined;
  _allowedUnsignedInt?: Element | undefined;
  allowedString?: string | undefined;
  _allowedString?: Element | undefined;
  allowedMoney?: Money | undefined;
  usedUnsignedInt?: number | undefined;
  _usedUnsignedInt?: Element | undefined;
  usedString?: string | undefined;
  _usedString?: Element | undefined;
  usedMoney?: Money | undefined;
}

export interface CoverageEligibilityResponseInsuranceItem extends BackboneElement {
  category?: CodeableConcept | undefined;
  productOrService?: CodeableConcept | undefined;
  modifier?: CodeableConcept[] | undefined;
  provider?: Reference | undefined;
  excluded?: boolean | undefined;
  _excluded?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  network?: CodeableConcept | undefined;
  unit?: CodeableConcept | undefined;
  term?: CodeableConcept | undefined;
  benefit?: CoverageEligibilityResponseInsuranceItemBenefit[] | undefined;
  authorizationRequired?: boolean | undefined;
  _authorizationRequired?: Element | undefined;
  authorizationSupporting?: CodeableConcept[] | undefined;
  authorizationUrl?: string | undefined;
  _authorizationUrl?: Element | undefined;
}

export interface CoverageEligibilityResponseInsurance extends BackboneElement {
  coverage: Reference;
  inforce?: boolean | undefined;
  _inforce?: Element | undefined;
  benefitPeriod?: Period | undefined;
  item?: CoverageEligibilityResponseInsuranceItem[] | undefined;
}

export interface CoverageEligibilityResponseError extends BackboneElement {
  code: CodeableConcept;
}

export interface QuestionnaireResponse extends DomainResource {
  readonly resourceType: 'QuestionnaireResponse';
  identifier?: Identifier | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  questionnaire?: string | undefined;
  _questionnaire?: Element | undefined;
  status?: ('in-progress'|'completed'|'amended'|'entered-in-error'|'stopped') | undefined;
  _status?: Element | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  authored?: string | undefined;
  _authored?: Element | undefined;
  author?: Reference | undefined;
  source?: Reference | undefined;
  item?: QuestionnaireResponseItem[] | undefined;
}

export interface QuestionnaireResponseItemAnswer extends BackboneElement {
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueAttachment?: Attachment | undefined;
  valueCoding?: Coding | undefined;
  valueQuantity?: Quantity | undefined;
  valueReference?: Reference | undefined;
  item?: QuestionnaireResponseItem[] | undefined;
}

export interface QuestionnaireResponseItem extends BackboneElement {
  linkId?: string | undefined;
  _linkId?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  answer?: QuestionnaireResponseItemAnswer[] | undefined;
  item?: QuestionnaireResponseItem[] | undefined;
}

export interface Location extends DomainResource {
  readonly resourceType: 'Location';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'suspended'|'inactive') | undefined;
  _status?: Element | undefined;
  operationalStatus?: Coding | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  alias?: (string | null)[] | undefined;
  _alias?: (Element | null)[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  mode?: ('instance'|'kind') | undefined;
  _mode?: Element | undefined;
  type?: CodeableConcept[] | undefined;
  telecom?: ContactPoint[] | undefined;
  address?: Address | undefined;
  physicalType?: CodeableConcept | undefined;
  position?: LocationPosition | undefined;
  managingOrganization?: Reference | undefined;
  partOf?: Reference | undefined;
  hoursOfOperation?: LocationHoursOfOperation[] | undefined;
  availabilityExceptions?: string | undefined;
  _availabilityExceptions?: Element | undefined;
  endpoint?: Reference[] | undefined;
}

export interface LocationPosition extends BackboneElement {
  longitude?: number | undefined;
  _longitude?: Element | undefined;
  latitude?: number | undefined;
  _latitude?: Element | undefined;
  altitude?: number | undefined;
  _altitude?: Element | undefined;
}

export interface LocationHoursOfOperation extends BackboneElement {
  daysOfWeek?: (('mon'|'tue'|'wed'|'thu'|'fri'|'sat'|'sun') | null)[] | undefined;
  _daysOfWeek?: (Element | null)[] | undefined;
  allDay?: boolean | undefined;
  _allDay?: Element | undefined;
  openingTime?: string | undefined;
  _openingTime?: Element | undefined;
  closingTime?: string | undefined;
  _closingTime?: Element | undefined;
}

export interface InsurancePlan extends DomainResource {
  readonly resourceType: 'InsurancePlan';
  identifier?: Identifier[] | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  type?: CodeableConcept[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  alias?: (string | null)[] | undefined;
  _alias?: (Element | null)[] | undefined;
  period?: Period | undefined;
  ownedBy?: Reference | undefined;
  administeredBy?: Reference | undefined;
  coverageArea?: Reference[] | undefined;
  contact?: InsurancePlanContact[] | undefined;
  endpoint?: Reference[] | undefined;
  network?: Reference[] | undefined;
  coverage?: InsurancePlanCoverage[] | undefined;
  plan?: InsurancePlanPlan[] | undefined;
}

export interface InsurancePlanContact extends BackboneElement {
  purpose?: CodeableConcept | undefined;
  name?: HumanName | undefined;
  telecom?: ContactPoint[] | undefined;
  address?: Address | undefined;
}

export interface InsurancePlanCoverageBenefitLimit extends BackboneElement {
  value?: Quantity | undefined;
  code?: CodeableConcept | undefined;
}

export interface InsurancePlanCoverageBenefit extends BackboneElement {
  type: CodeableConcept;
  requirement?: string | undefined;
  _requirement?: Element | undefined;
  limit?: InsurancePlanCoverageBenefitLimit[] | undefined;
}

export interface InsurancePlanCoverage extends BackboneElement {
  type: CodeableConcept;
  network?: Reference[] | undefined;
  benefit: InsurancePlanCoverageBenefit[];
}

export interface InsurancePlanPlanGeneralCost extends BackboneElement {
  type?: CodeableConcept | undefined;
  groupSize?: number | undefined;
  _groupSize?: Element | undefined;
  cost?: Money | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface InsurancePlanPlanSpecificCostBenefitCost extends BackboneElement {
  type: CodeableConcept;
  applicability?: CodeableConcept | undefined;
  qualifiers?: CodeableConcept[] | undefined;
  value?: Quantity | undefined;
}

export interface InsurancePlanPlanSpecificCostBenefit extends BackboneElement {
  type: CodeableConcept;
  cost?: InsurancePlanPlanSpecificCostBenefitCost[] | undefined;
}

export interface InsurancePlanPlanSpecificCost extends BackboneElement {
  category: CodeableConcept;
  benefit?: InsurancePlanPlanSpecificCostBenefit[] | undefined;
}

export interface InsurancePlanPlan extends BackboneElement {
  identifier?: Identifier[] | undefined;
  type?: CodeableConcept | undefined;
  coverageArea?: Reference[] | undefined;
  network?: Reference[] | undefined;
  generalCost?: InsurancePlanPlanGeneralCost[] | undefined;
  specificCost?: InsurancePlanPlanSpecificCost[] | undefined;
}

export interface Measure extends DomainResource {
  readonly resourceType: 'Measure';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  library?: (string | null)[] | undefined;
  _library?: (Element | null)[] | undefined;
  disclaimer?: string | undefined;
  _disclaimer?: Element | undefined;
  scoring?: CodeableConcept | undefined;
  compositeScoring?: CodeableConcept | undefined;
  type?: CodeableConcept[] | undefined;
  riskAdjustment?: string | undefined;
  _riskAdjustment?: Element | undefined;
  rateAggregation?: string | undefined;
  _rateAggregation?: Element | undefined;
  rationale?: string | undefined;
  _rationale?: Element | undefined;
  clinicalRecommendationStatement?: string | undefined;
  _clinicalRecommendationStatement?: Element | undefined;
  improvementNotation?: CodeableConcept | undefined;
  definition?: (string | null)[] | undefined;
  _definition?: (Element | null)[] | undefined;
  guidance?: string | undefined;
  _guidance?: Element | undefined;
  group?: MeasureGroup[] | undefined;
  supplementalData?: MeasureSupplementalData[] | undefined;
}

export interface MeasureGroupPopulation extends BackboneElement {
  code?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  criteria: Expression;
}

export interface MeasureGroupStratifierComponent extends BackboneElement {
  code?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  criteria: Expression;
}

export interface MeasureGroupStratifier extends BackboneElement {
  code?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  criteria?: Expression | undefined;
  component?: MeasureGroupStratifierComponent[] | undefined;
}

export interface MeasureGroup extends BackboneElement {
  code?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  population?: MeasureGroupPopulation[] | undefined;
  stratifier?: MeasureGroupStratifier[] | undefined;
}

export interface MeasureSupplementalData extends BackboneElement {
  code?: CodeableConcept | undefined;
  usage?: CodeableConcept[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  criteria: Expression;
}

export interface EffectEvidenceSynthesis extends DomainResource {
  readonly resourceType: 'EffectEvidenceSynthesis';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  note?: Annotation[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  synthesisType?: CodeableConcept | undefined;
  studyType?: CodeableConcept | undefined;
  population: Reference;
  exposure: Reference;
  exposureAlternative: Reference;
  outcome: Reference;
  sampleSize?: EffectEvidenceSynthesisSampleSize | undefined;
  resultsByExposure?: EffectEvidenceSynthesisResultsByExposure[] | undefined;
  effectEstimate?: EffectEvidenceSynthesisEffectEstimate[] | undefined;
  certainty?: EffectEvidenceSynthesisCertainty[] | undefined;
}

export interface EffectEvidenceSynthesisSampleSize extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  numberOfStudies?: number | undefined;
  _numberOfStudies?: Element | undefined;
  numberOfParticipants?: number | undefined;
  _numberOfParticipants?: Element | undefined;
}

export interface EffectEvidenceSynthesisResultsByExposure extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  exposureState?: ('exposure'|'exposure-alternative') | undefined;
  _exposureState?: Element | undefined;
  variantState?: CodeableConcept | undefined;
  riskEvidenceSynthesis: Reference;
}

export interface EffectEvidenceSynthesisEffectEstimatePrecisionEstimate extends BackboneElement {
  type?: CodeableConcept | undefined;
  level?: number | undefined;
  _level?: Element | undefined;
  from?: number | undefined;
  _from?: Element | undefined;
  to?: number | undefined;
  _to?: Element | undefined;
}

export interface EffectEvidenceSynthesisEffectEstimate extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  type?: CodeableConcept | undefined;
  variantState?: CodeableConcept | undefined;
  value?: number | undefined;
  _value?: Element | undefined;
  unitOfMeasure?: CodeableConcept | undefined;
  precisionEstimate?: EffectEvidenceSynthesisEffectEstimatePrecisionEstimate[] | undefined;
}

export interface EffectEvidenceSynthesisCertaintyCertaintySubcomponent extends BackboneElement {
  type?: CodeableConcept | undefined;
  rating?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
}

export interface EffectEvidenceSynthesisCertainty extends BackboneElement {
  rating?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
  certaintySubcomponent?: EffectEvidenceSynthesisCertaintyCertaintySubcomponent[] | undefined;
}

export interface ActivityDefinition extends DomainResource {
  readonly resourceType: 'ActivityDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  library?: (string | null)[] | undefined;
  _library?: (Element | null)[] | undefined;
  kind?: ('Appointment'|'AppointmentResponse'|'CarePlan'|'Claim'|'CommunicationRequest'|'Contract'|'DeviceRequest'|'EnrollmentRequest'|'ImmunizationRecommendation'|'MedicationRequest'|'NutritionOrder'|'ServiceRequest'|'SupplyRequest'|'Task'|'VisionPrescription') | undefined;
  _kind?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
  code?: CodeableConcept | undefined;
  intent?: ('proposal'|'plan'|'directive'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  doNotPerform?: boolean | undefined;
  _doNotPerform?: Element | undefined;
  timingTiming?: Timing | undefined;
  timingDateTime?: string | undefined;
  _timingDateTime?: Element | undefined;
  timingAge?: Age | undefined;
  timingPeriod?: Period | undefined;
  timingRange?: Range | undefined;
  timingDuration?: Duration | undefined;
  location?: Reference | undefined;
  participant?: ActivityDefinitionParticipant[] | undefined;
  productReference?: Reference | undefined;
  productCodeableConcept?: CodeableConcept | undefined;
  quantity?: Quantity | undefined;
  dosage?: Dosage[] | undefined;
  bodySite?: CodeableConcept[] | undefined;
  specimenRequirement?: Reference[] | undefined;
  observationRequirement?: Reference[] | undefined;
  observationResultRequirement?: Reference[] | undefined;
  transform?: string | undefined;
  _transform?: Element | undefined;
  dynamicValue?: ActivityDefinitionDynamicValue[] | undefined;
}

export interface ActivityDefinitionParticipant extends BackboneElement {
  type?: ('patient'|'practitioner'|'related-person'|'device') | undefined;
  _type?: Element | undefined;
  role?: CodeableConcept | undefined;
}

export interface ActivityDefinitionDynamicValue extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  expression: Expression;
}

export interface OrganizationAffiliation extends DomainResource {
  readonly resourceType: 'OrganizationAffiliation';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  period?: Period | undefined;
  organization?: Reference | undefined;
  participatingOrganization?: Reference | undefined;
  network?: Reference[] | undefined;
  code?: CodeableConcept[] | undefined;
  specialty?: CodeableConcept[] | undefined;
  location?: Reference[] | undefined;
  healthcareService?: Reference[] | undefined;
  telecom?: ContactPoint[] | undefined;
  endpoint?: Reference[] | undefined;
}

export interface EpisodeOfCare extends DomainResource {
  readonly resourceType: 'EpisodeOfCare';
  identifier?: Identifier[] | undefined;
  status?: ('planned'|'waitlist'|'active'|'onhold'|'finished'|'cancelled'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  statusHistory?: EpisodeOfCareStatusHistory[] | undefined;
  type?: CodeableConcept[] | undefined;
  diagnosis?: EpisodeOfCareDiagnosis[] | undefined;
  patient: Reference;
  managingOrganization?: Reference | undefined;
  period?: Period | undefined;
  referralRequest?: Reference[] | undefined;
  careManager?: Reference | undefined;
  team?: Reference[] | undefined;
  account?: Reference[] | undefined;
}

export interface EpisodeOfCareStatusHistory extends BackboneElement {
  status?: ('planned'|'waitlist'|'active'|'onhold'|'finished'|'cancelled'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  period: Period;
}

export interface EpisodeOfCareDiagnosis extends BackboneElement {
  condition: Reference;
  role?: CodeableConcept | undefined;
  rank?: number | undefined;
  _rank?: Element | undefined;
}

export interface BackboneElement extends Element {
  modifierExtension?: Extension[] | undefined;
}

export interface DeviceRequest extends DomainResource {
  readonly resourceType: 'DeviceRequest';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  priorRequest?: Reference[] | undefined;
  groupIdentifier?: Identifier | undefined;
  status?: ('draft'|'active'|'on-hold'|'revoked'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  intent?: ('proposal'|'plan'|'directive'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  codeReference?: Reference | undefined;
  codeCodeableConcept?: CodeableConcept | undefined;
  parameter?: DeviceRequestParameter[] | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  occurrenceTiming?: Timing | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  requester?: Reference | undefined;
  performerType?: CodeableConcept | undefined;
  performer?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  insurance?: Reference[] | undefined;
  supportingInfo?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  relevantHistory?: Reference[] | undefined;
}

export interface DeviceRequestParameter extends BackboneElement {
  code?: CodeableConcept | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
}

export interface MedicinalProductManufactured extends DomainResource {
  readonly resourceType: 'MedicinalProductManufactured';
  manufacturedDoseForm: CodeableConcept;
  unitOfPresentation?: CodeableConcept | undefined;
  quantity: Quantity;
  manufacturer?: Reference[] | undefined;
  ingredient?: Reference[] | undefined;
  physicalCharacteristics?: ProdCharacteristic | undefined;
  otherCharacteristics?: CodeableConcept[] | undefined;
}

export interface CapabilityStatement extends DomainResource {
  readonly resourceType: 'CapabilityStatement';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  kind?: ('instance'|'capability'|'requirements') | undefined;
  _kind?: Element | undefined;
  instantiates?: (string | null)[] | undefined;
  _instantiates?: (Element | null)[] | undefined;
  imports?: (string | null)[] | undefined;
  _imports?: (Element | null)[] | undefined;
  software?: CapabilityStatementSoftware | undefined;
  implementation?: CapabilityStatementImplementation | undefined;
  fhirVersion?: ('0.01'|'0.05'|'0.06'|'0.11'|'0.0.80'|'0.0.81'|'0.0.82'|'0.4.0'|'0.5.0'|'1.0.0'|'1.0.1'|'1.0.2'|'1.1.0'|'1.4.0'|'1.6.0'|'1.8.0'|'3.0.0'|'3.0.1'|'3.3.0'|'3.5.0'|'4.0.0'|'4.0.1') | undefined;
  _fhirVersion?: Element | undefined;
  format: (string | null)[];
  _format?: (Element | null)[] | undefined;
  patchFormat?: (string | null)[] | undefined;
  _patchFormat?: (Element | null)[] | undefined;
  implementationGuide?: (string | null)[] | undefined;
  _implementationGuide?: (Element | null)[] | undefined;
  rest?: CapabilityStatementRest[] | undefined;
  messaging?: CapabilityStatementMessaging[] | undefined;
  document?: CapabilityStatementDocument[] | undefined;
}

export interface CapabilityStatementSoftware extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  releaseDate?: string | undefined;
  _releaseDate?: Element | undefined;
}

export interface CapabilityStatementImplementation extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  custodian?: Reference | undefined;
}

export interface CapabilityStatementRestSecurity extends BackboneElement {
  cors?: boolean | undefined;
  _cors?: Element | undefined;
  service?: CodeableConcept[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface CapabilityStatementRestResourceInteraction extends BackboneElement {
  code?: ('read'|'vread'|'update'|'patch'|'delete'|'history-instance'|'history-type'|'create'|'search-type') | undefined;
  _code?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface CapabilityStatementRestResourceSearchParam extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
  type?: ('number'|'date'|'string'|'token'|'reference'|'composite'|'quantity'|'uri'|'special') | undefined;
  _type?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface CapabilityStatementRestResourceOperation extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface CapabilityStatementRestResource extends BackboneElement {
  type?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _type?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
  supportedProfile?: (string | null)[] | undefined;
  _supportedProfile?: (Element | null)[] | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  interaction?: CapabilityStatementRestResourceInteraction[] | undefined;
  versioning?: ('no-version'|'versioned'|'versioned-update') | undefined;
  _versioning?: Element | undefined;
  readHistory?: boolean | undefined;
  _readHistory?: Element | undefined;
  updateCreate?: boolean | undefined;
  _updateCreate?: Element | undefined;
  conditionalCreate?: boolean | undefined;
  _conditionalCreate?: Element | undefined;
  conditionalRead?: ('not-supported'|'modified-since'|'not-match'|'full-support') | undefined;
  _conditionalRead?: Element | undefined;
  conditionalUpdate?: boolean | undefined;
  _conditionalUpdate?: Element | undefined;
  conditionalDelete?: ('not-supported'|'single'|'multiple') | undefined;
  _conditionalDelete?: Element | undefined;
  referencePolicy?: (('literal'|'logical'|'resolves'|'enforced'|'local') | null)[] | undefined;
  _referencePolicy?: (Element | null)[] | undefined;
  searchInclude?: (string | null)[] | undefined;
  _searchInclude?: (Element | null)[] | undefined;
  searchRevInclude?: (string | null)[] | undefined;
  _searchRevInclude?: (Element | null)[] | undefined;
  searchParam?: CapabilityStatementRestResourceSearchParam[] | undefined;
  operation?: CapabilityStatementRestResourceOperation[] | undefined;
}

export interface CapabilityStatementRestInteraction extends BackboneElement {
  code?: ('transaction'|'batch'|'search-system'|'history-system') | undefined;
  _code?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface CapabilityStatementRest extends BackboneElement {
  mode?: ('client'|'server') | undefined;
  _mode?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  security?: CapabilityStatementRestSecurity | undefined;
  resource?: CapabilityStatementRestResource[] | undefined;
  interaction?: CapabilityStatementRestInteraction[] | undefined;
  searchParam?: CapabilityStatementRestResourceSearchParam[] | undefined;
  operation?: CapabilityStatementRestResourceOperation[] | undefined;
  compartment?: (string | null)[] | undefined;
  _compartment?: (Element | null)[] | undefined;
}

export interface CapabilityStatementMessagingEndpoint extends BackboneElement {
  protocol: Coding;
  address?: string | undefined;
  _address?: Element | undefined;
}

export interface CapabilityStatementMessagingSupportedMessage extends BackboneElement {
  mode?: ('sender'|'receiver') | undefined;
  _mode?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
}

export interface CapabilityStatementMessaging extends BackboneElement {
  endpoint?: CapabilityStatementMessagingEndpoint[] | undefined;
  reliableCache?: number | undefined;
  _reliableCache?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  supportedMessage?: CapabilityStatementMessagingSupportedMessage[] | undefined;
}

export interface CapabilityStatementDocument extends BackboneElement {
  mode?: ('producer'|'consumer') | undefined;
  _mode?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
}

export interface ContactPoint extends Element {
  system?: ('phone'|'fax'|'email'|'pager'|'url'|'sms'|'other') | undefined;
  _system?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
  use?: ('home'|'work'|'temp'|'old'|'mobile') | undefined;
  _use?: Element | undefined;
  rank?: number | undefined;
  _rank?: Element | undefined;
  period?: Period | undefined;
}

export interface Endpoint extends DomainResource {
  readonly resourceType: 'Endpoint';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'suspended'|'error'|'off'|'entered-in-error'|'test') | undefined;
  _status?: Element | undefined;
  connectionType: Coding;
  name?: string | undefined;
  _name?: Element | undefined;
  managingOrganization?: Reference | undefined;
  contact?: ContactPoint[] | undefined;
  period?: Period | undefined;
  payloadType: CodeableConcept[];
  payloadMimeType?: (string | null)[] | undefined;
  _payloadMimeType?: (Element | null)[] | undefined;
  address?: string | undefined;
  _address?: Element | undefined;
  header?: (string | null)[] | undefined;
  _header?: (Element | null)[] | undefined;
}

export interface SubstancePolymer extends DomainResource {
  readonly resourceType: 'SubstancePolymer';
  class?: CodeableConcept | undefined;
  geometry?: CodeableConcept | undefined;
  copolymerConnectivity?: CodeableConcept[] | undefined;
  modification?: (string | null)[] | undefined;
  _modification?: (Element | null)[] | undefined;
  monomerSet?: SubstancePolymerMonomerSet[] | undefined;
  repeat?: SubstancePolymerRepeat[] | undefined;
}

export interface SubstancePolymerMonomerSetStartingMaterial extends BackboneElement {
  material?: CodeableConcept | undefined;
  type?: CodeableConcept | undefined;
  isDefining?: boolean | undefined;
  _isDefining?: Element | undefined;
  amount?: SubstanceAmount | undefined;
}

export interface SubstancePolymerMonomerSet extends BackboneElement {
  ratioType?: CodeableConcept | undefined;
  startingMaterial?: SubstancePolymerMonomerSetStartingMaterial[] | undefined;
}

export interface SubstancePolymerRepeatRepeatUnitDegreeOfPolymerisation extends BackboneElement {
  degree?: CodeableConcept | undefined;
  amount?: SubstanceAmount | undefined;
}

export interface SubstancePolymerRepeatRepeatUnitStructuralRepresentation extends BackboneElement {
  type?: CodeableConcept | undefined;
  representation?: string | undefined;
  _representation?: Element | undefined;
  attachment?: Attachment | undefined;
}

export interface SubstancePolymerRepeatRepeatUnit extends BackboneElement {
  orientationOfPolymerisation?: CodeableConcept | undefined;
  repeatUnit?: string | undefined;
  _repeatUnit?: Element | undefined;
  amount?: SubstanceAmount | undefined;
  degreeOfPolymerisation?: SubstancePolymerRepeatRepeatUnitDegreeOfPolymerisation[] | undefined;
  structuralRepresentation?: SubstancePolymerRepeatRepeatUnitStructuralRepresentation[] | undefined;
}

export interface SubstancePolymerRepeat extends BackboneElement {
  numberOfUnits?: number | undefined;
  _numberOfUnits?: Element | undefined;
  averageMolecularFormula?: string | undefined;
  _averageMolecularFormula?: Element | undefined;
  repeatUnitAmountType?: CodeableConcept | undefined;
  repeatUnit?: SubstancePolymerRepeatRepeatUnit[] | undefined;
}

export interface Annotation extends Element {
  authorReference?: Reference | undefined;
  authorString?: string | undefined;
  _authorString?: Element | undefined;
  time?: string | undefined;
  _time?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
}

export interface Substance extends DomainResource {
  readonly resourceType: 'Substance';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'inactive'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  code: CodeableConcept;
  description?: string | undefined;
  _description?: Element | undefined;
  instance?: SubstanceInstance[] | undefined;
  ingredient?: SubstanceIngredient[] | undefined;
}

export interface SubstanceInstance extends BackboneElement {
  identifier?: Identifier | undefined;
  expiry?: string | undefined;
  _expiry?: Element | undefined;
  quantity?: Quantity | undefined;
}

export interface SubstanceIngredient extends BackboneElement {
  quantity?: Ratio | undefined;
  substanceCodeableConcept?: CodeableConcept | undefined;
  substanceReference?: Reference | undefined;
}

export interface CatalogEntry extends DomainResource {
  readonly resourceType: 'CatalogEntry';
  identifier?: Identifier[] | undefined;
  type?: CodeableConcept | undefined;
  orderable?: boolean | undefined;
  _orderable?: Element | undefined;
  referencedItem: Reference;
  additionalIdentifier?: Identifier[] | undefined;
  classification?: CodeableConcept[] | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  validityPeriod?: Period | undefined;
  validTo?: string | undefined;
  _validTo?: Element | undefined;
  lastUpdated?: string | undefined;
  _lastUpdated?: Element | undefined;
  additionalCharacteristic?: CodeableConcept[] | undefined;
  additionalClassification?: CodeableConcept[] | undefined;
  relatedEntry?: CatalogEntryRelatedEntry[] | undefined;
}

export interface CatalogEntryRelatedEntry extends BackboneElement {
  relationtype?: ('triggers'|'is-replaced-by') | undefined;
  _relationtype?: Element | undefined;
  item: Reference;
}

export interface Meta extends Element {
  versionId?: string | undefined;
  _versionId?: Element | undefined;
  lastUpdated?: string | undefined;
  _lastUpdated?: Element | undefined;
  source?: string | undefined;
  _source?: Element | undefined;
  profile?: (string | null)[] | undefined;
  _profile?: (Element | null)[] | undefined;
  security?: Coding[] | undefined;
  tag?: Coding[] | undefined;
}

export interface Group extends DomainResource {
  readonly resourceType: 'Group';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  type?: ('person'|'animal'|'practitioner'|'device'|'medication'|'substance') | undefined;
  _type?: Element | undefined;
  actual?: boolean | undefined;
  _actual?: Element | undefined;
  code?: CodeableConcept | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  quantity?: number | undefined;
  _quantity?: Element | undefined;
  managingEntity?: Reference | undefined;
  characteristic?: GroupCharacteristic[] | undefined;
  member?: GroupMember[] | undefined;
}

export interface GroupCharacteristic extends BackboneElement {
  code: CodeableConcept;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueReference?: Reference | undefined;
  exclude?: boolean | undefined;
  _exclude?: Element | undefined;
  period?: Period | undefined;
}

export interface GroupMember extends BackboneElement {
  entity: Reference;
  period?: Period | undefined;
  inactive?: boolean | undefined;
  _inactive?: Element | undefined;
}

export interface ImagingStudy extends DomainResource {
  readonly resourceType: 'ImagingStudy';
  identifier?: Identifier[] | undefined;
  status?: ('registered'|'available'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  modality?: Coding[] | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  started?: string | undefined;
  _started?: Element | undefined;
  basedOn?: Reference[] | undefined;
  referrer?: Reference | undefined;
  interpreter?: Reference[] | undefined;
  endpoint?: Reference[] | undefined;
  numberOfSeries?: number | undefined;
  _numberOfSeries?: Element | undefined;
  numberOfInstances?: number | undefined;
  _numberOfInstances?: Element | undefined;
  procedureReference?: Reference | undefined;
  procedureCode?: CodeableConcept[] | undefined;
  location?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  series?: ImagingStudySeries[] | undefined;
}

export interface ImagingStudySeriesPerformer extends BackboneElement {
  function?: CodeableConcept | undefined;
  actor: Reference;
}

export interface ImagingStudySeriesInstance extends BackboneElement {
  uid?: string | undefined;
  _uid?: Element | undefined;
  sopClass: Coding;
  number?: number | undefined;
  _number?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
}

export interface ImagingStudySeries extends BackboneElement {
  uid?: string | undefined;
  _uid?: Element | undefined;
  number?: number | undefined;
  _number?: Element | undefined;
  modality: Coding;
  description?: string | undefined;
  _description?: Element | undefined;
  numberOfInstances?: number | undefined;
  _numberOfInstances?: Element | undefined;
  endpoint?: Reference[] | undefined;
  bodySite?: Coding | undefined;
  laterality?: Coding | undefined;
  specimen?: Reference[] | undefined;
  started?: string | undefined;
  _started?: Element | undefined;
  performer?: ImagingStudySeriesPerformer[] | undefined;
  instance?: ImagingStudySeriesInstance[] | undefined;
}

export interface SubstanceAmount extends BackboneElement {
  amountQuantity?: Quantity | undefined;
  amountRange?: Range | undefined;
  amountString?: string | undefined;
  _amountString?: Element | undefined;
  amountType?: CodeableConcept | undefined;
  amountText?: string | undefined;
  _amountText?: Element | undefined;
  referenceRange?: SubstanceAmountReferenceRange | undefined;
}

export interface SubstanceAmountReferenceRange extends BackboneElement {
  lowLimit?: Quantity | undefined;
  highLimit?: Quantity | undefined;
}

export interface SubstanceNucleicAcid extends DomainResource {
  readonly resourceType: 'SubstanceNucleicAcid';
  sequenceType?: CodeableConcept | undefined;
  numberOfSubunits?: number | undefined;
  _numberOfSubunits?: Element | undefined;
  areaOfHybridisation?: string | undefined;
  _areaOfHybridisation?: Element | undefined;
  oligoNucleotideType?: CodeableConcept | undefined;
  subunit?: SubstanceNucleicAcidSubunit[] | undefined;
}

export interface SubstanceNucleicAcidSubunitLinkage extends BackboneElement {
  connectivity?: string | undefined;
  _connectivity?: Element | undefined;
  identifier?: Identifier | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  residueSite?: string | undefined;
  _residueSite?: Element | undefined;
}

export interface SubstanceNucleicAcidSubunitSugar extends BackboneElement {
  identifier?: Identifier | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  residueSite?: string | undefined;
  _residueSite?: Element | undefined;
}

export interface SubstanceNucleicAcidSubunit extends BackboneElement {
  subunit?: number | undefined;
  _subunit?: Element | undefined;
  sequence?: string | undefined;
  _sequence?: Element | undefined;
  length?: number | undefined;
  _length?: Element | undefined;
  sequenceAttachment?: Attachment | undefined;
  fivePrime?: CodeableConcept | undefined;
  threePrime?: CodeableConcept | undefined;
  linkage?: SubstanceNucleicAcidSubunitLinkage[] | undefined;
  sugar?: SubstanceNucleicAcidSubunitSugar[] | undefined;
}

export interface Organization extends DomainResource {
  readonly resourceType: 'Organization';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  type?: CodeableConcept[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  alias?: (string | null)[] | undefined;
  _alias?: (Element | null)[] | undefined;
  telecom?: ContactPoint[] | undefined;
  address?: Address[] | undefined;
  partOf?: Reference | undefined;
  contact?: OrganizationContact[] | undefined;
  endpoint?: Reference[] | undefined;
}

export interface OrganizationContact extends BackboneElement {
  purpose?: CodeableConcept | undefined;
  name?: HumanName | undefined;
  telecom?: ContactPoint[] | undefined;
  address?: Address | undefined;
}

export interface Contributor extends Element {
  type?: ('author'|'editor'|'reviewer'|'endorser') | undefined;
  _type?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  contact?: ContactDetail[] | undefined;
}

export interface MolecularSequence extends DomainResource {
  readonly resourceType: 'MolecularSequence';
  identifier?: Identifier[] | undefined;
  type?: ('aa'|'dna'|'rna') | undefined;
  _type?: Element | undefined;
  coordinateSystem?: number | undefined;
  _coordinateSystem?: Element | undefined;
  patient?: Reference | undefined;
  specimen?: Reference | undefined;
  device?: Reference | undefined;
  performer?: Reference | undefined;
  quantity?: Quantity | undefined;
  referenceSeq?: MolecularSequenceReferenceSeq | undefined;
  variant?: MolecularSequenceVariant[] | undefined;
  observedSeq?: string | undefined;
  _observedSeq?: Element | undefined;
  quality?: MolecularSequenceQuality[] | undefined;
  readCoverage?: number | undefined;
  _readCoverage?: Element | undefined;
  repository?: MolecularSequenceRepository[] | undefined;
  pointer?: Reference[] | undefined;
  structureVariant?: MolecularSequenceStructureVariant[] | undefined;
}

export interface MolecularSequenceReferenceSeq extends BackboneElement {
  chromosome?: CodeableConcept | undefined;
  genomeBuild?: string | undefined;
  _genomeBuild?: Element | undefined;
  orientation?: ('sense'|'antisense') | undefined;
  _orientation?: Element | undefined;
  referenceSeqId?: CodeableConcept | undefined;
  referenceSeqPointer?: Reference | undefined;
  referenceSeqString?: string | undefined;
  _referenceSeqString?: Element | undefined;
  strand?: ('watson'|'crick') | undefined;
  _strand?: Element | undefined;
  windowStart?: number | undefined;
  _windowStart?: Element | undefined;
  windowEnd?: number | undefined;
  _windowEnd?: Element | undefined;
}

export interface MolecularSequenceVariant extends BackboneElement {
  start?: number | undefined;
  _start?: Element | undefined;
  end?: number | undefined;
  _end?: Element | undefined;
  observedAllele?: string | undefined;
  _observedAllele?: Element | undefined;
  referenceAllele?: string | undefined;
  _referenceAllele?: Element | undefined;
  cigar?: string | undefined;
  _cigar?: Element | undefined;
  variantPointer?: Reference | undefined;
}

export interface MolecularSequenceQualityRoc extends BackboneElement {
  score?: (number | null)[] | undefined;
  _score?: (Element | null)[] | undefined;
  numTP?: (number | null)[] | undefined;
  _numTP?: (Element | null)[] | undefined;
  numFP?: (number | null)[] | undefined;
  _numFP?: (Element | null)[] | undefined;
  numFN?: (number | null)[] | undefined;
  _numFN?: (Element | null)[] | undefined;
  precision?: (number | null)[] | undefined;
  _precision?: (Element | null)[] | undefined;
  sensitivity?: (number | null)[] | undefined;
  _sensitivity?: (Element | null)[] | undefined;
  fMeasure?: (number | null)[] | undefined;
  _fMeasure?: (Element | null)[] | undefined;
}

export interface MolecularSequenceQuality extends BackboneElement {
  type?: ('indel'|'snp'|'unknown') | undefined;
  _type?: Element | undefined;
  standardSequence?: CodeableConcept | undefined;
  start?: number | undefined;
  _start?: Element | undefined;
  end?: number | undefined;
  _end?: Element | undefined;
  score?: Quantity | undefined;
  method?: CodeableConcept | undefined;
  truthTP?: number | undefined;
  _truthTP?: Element | undefined;
  queryTP?: number | undefined;
  _queryTP?: Element | undefined;
  truthFN?: number | undefined;
  _truthFN?: Element | undefined;
  queryFP?: number | undefined;
  _queryFP?: Element | undefined;
  gtFP?: number | undefined;
  _gtFP?: Element | undefined;
  precision?: number | undefined;
  _precision?: Element | undefined;
  recall?: number | undefined;
  _recall?: Element | undefined;
  fScore?: number | undefined;
  _fScore?: Element | undefined;
  roc?: MolecularSequenceQualityRoc | undefined;
}

export interface MolecularSequenceRepository extends BackboneElement {
  type?: ('directlink'|'openapi'|'login'|'oauth'|'other') | undefined;
  _type?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  datasetId?: string | undefined;
  _datasetId?: Element | undefined;
  variantsetId?: string | undefined;
  _variantsetId?: Element | undefined;
  readsetId?: string | undefined;
  _readsetId?: Element | undefined;
}

export interface MolecularSequenceStructureVariantOuter extends BackboneElement {
  start?: number | undefined;
  _start?: Element | undefined;
  end?: number | undefined;
  _end?: Element | undefined;
}

export interface MolecularSequenceStructureVariantInner extends BackboneElement {
  start?: number | undefined;
  _start?: Element | undefined;
  end?: number | undefined;
  _end?: Element | undefined;
}

export interface MolecularSequenceStructureVariant extends BackboneElement {
  variantType?: CodeableConcept | undefined;
  exact?: boolean | undefined;
  _exact?: Element | undefined;
  length?: number | undefined;
  _length?: Element | undefined;
  outer?: MolecularSequenceStructureVariantOuter | undefined;
  inner?: MolecularSequenceStructureVariantInner | undefined;
}

export interface Population extends BackboneElement {
  ageRange?: Range | undefined;
  ageCodeableConcept?: CodeableConcept | undefined;
  gender?: CodeableConcept | undefined;
  race?: CodeableConcept | undefined;
  physiologicalCondition?: CodeableConcept | undefined;
}

export interface ChargeItemDefinition extends DomainResource {
  readonly resourceType: 'ChargeItemDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  derivedFromUri?: (string | null)[] | undefined;
  _derivedFromUri?: (Element | null)[] | undefined;
  partOf?: (string | null)[] | undefined;
  _partOf?: (Element | null)[] | undefined;
  replaces?: (string | null)[] | undefined;
  _replaces?: (Element | null)[] | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  code?: CodeableConcept | undefined;
  instance?: Reference[] | undefined;
  applicability?: ChargeItemDefinitionApplicability[] | undefined;
  propertyGroup?: ChargeItemDefinitionPropertyGroup[] | undefined;
}

export interface ChargeItemDefinitionApplicability extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  language?: string | undefined;
  _language?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
}

export interface ChargeItemDefinitionPropertyGroupPriceComponent extends BackboneElement {
  type?: ('base'|'surcharge'|'deduction'|'discount'|'tax'|'informational') | undefined;
  _type?: Element | undefined;
  code?: CodeableConcept | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  amount?: Money | undefined;
}

export interface ChargeItemDefinitionPropertyGroup extends BackboneElement {
  applicability?: ChargeItemDefinitionApplicability[] | undefined;
  priceComponent?: ChargeItemDefinitionPropertyGroupPriceComponent[] | undefined;
}

export interface Questionnaire extends DomainResource {
  readonly resourceType: 'Questionnaire';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  derivedFrom?: (string | null)[] | undefined;
  _derivedFrom?: (Element | null)[] | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectType?: (('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | null)[] | undefined;
  _subjectType?: (Element | null)[] | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  code?: Coding[] | undefined;
  item?: QuestionnaireItem[] | undefined;
}

export interface QuestionnaireItemEnableWhen extends BackboneElement {
  question?: string | undefined;
  _question?: Element | undefined;
  operator?: ('exists'|'='|'!='|'>'|'<'|'>='|'<=') | undefined;
  _operator?: Element | undefined;
  answerBoolean?: boolean | undefined;
  _answerBoolean?: Element | undefined;
  answerDecimal?: number | undefined;
  _answerDecimal?: Element | undefined;
  answerInteger?: number | undefined;
  _answerInteger?: Element | undefined;
  answerDate?: string | undefined;
  _answerDate?: Element | undefined;
  answerDateTime?: string | undefined;
  _answerDateTime?: Element | undefined;
  answerTime?: string | undefined;
  _answerTime?: Element | undefined;
  answerString?: string | undefined;
  _answerString?: Element | undefined;
  answerCoding?: Coding | undefined;
  answerQuantity?: Quantity | undefined;
  answerReference?: Reference | undefined;
}

export interface QuestionnaireItemAnswerOption extends BackboneElement {
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueCoding?: Coding | undefined;
  valueReference?: Reference | undefined;
  initialSelected?: boolean | undefined;
  _initialSelected?: Element | undefined;
}

export interface QuestionnaireItemInitial extends BackboneElement {
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueAttachment?: Attachment | undefined;
  valueCoding?: Coding | undefined;
  valueQuantity?: Quantity | undefined;
  valueReference?: Reference | undefined;
}

export interface QuestionnaireItem extends BackboneElement {
  linkId?: string | undefined;
  _linkId?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
  code?: Coding[] | undefined;
  prefix?: string | undefined;
  _prefix?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  type?: ('group'|'display'|'question'|'boolean'|'decimal'|'integer'|'date'|'dateTime'|'time'|'string'|'text'|'url'|'choice'|'open-choice'|'attachment'|'reference'|'quantity') | undefined;
  _type?: Element | undefined;
  enableWhen?: QuestionnaireItemEnableWhen[] | undefined;
  enableBehavior?: ('all'|'any') | undefined;
  _enableBehavior?: Element | undefined;
  required?: boolean | undefined;
  _required?: Element | undefined;
  repeats?: boolean | undefined;
  _repeats?: Element | undefined;
  readOnly?: boolean | undefined;
  _readOnly?: Element | undefined;
  maxLength?: number | undefined;
  _maxLength?: Element | undefined;
  answerValueSet?: string | undefined;
  _answerValueSet?: Element | undefined;
  answerOption?: QuestionnaireItemAnswerOption[] | undefined;
  initial?: QuestionnaireItemInitial[] | undefined;
  item?: QuestionnaireItem[] | undefined;
}

export interface Dosage extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  additionalInstruction?: CodeableConcept[] | undefined;
  patientInstruction?: string | undefined;
  _patientInstruction?: Element | undefined;
  timing?: Timing | undefined;
  asNeededBoolean?: boolean | undefined;
  _asNeededBoolean?: Element | undefined;
  asNeededCodeableConcept?: CodeableConcept | undefined;
  site?: CodeableConcept | undefined;
  route?: CodeableConcept | undefined;
  method?: CodeableConcept | undefined;
  doseAndRate?: DosageDoseAndRate[] | undefined;
  maxDosePerPeriod?: Ratio | undefined;
  maxDosePerAdministration?: Quantity | undefined;
  maxDosePerLifetime?: Quantity | undefined;
}

export interface DosageDoseAndRate extends BackboneElement {
  type?: CodeableConcept | undefined;
  doseRange?: Range | undefined;
  doseQuantity?: Quantity | undefined;
  rateRatio?: Ratio | undefined;
  rateRange?: Range | undefined;
  rateQuantity?: Quantity | undefined;
}

export interface TestScript extends DomainResource {
  readonly resourceType: 'TestScript';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  origin?: TestScriptOrigin[] | undefined;
  destination?: TestScriptDestination[] | undefined;
  metadata?: TestScriptMetadata | undefined;
  fixture?: TestScriptFixture[] | undefined;
  profile?: Reference[] | undefined;
  variable?: TestScriptVariable[] | undefined;
  setup?: TestScriptSetup | undefined;
  test?: TestScriptTest[] | undefined;
  teardown?: TestScriptTeardown | undefined;
}

export interface TestScriptOrigin extends BackboneElement {
  index?: number | undefined;
  _index?: Element | undefined;
  profile: Coding;
}

export interface TestScriptDestination extends BackboneElement {
  index?: number | undefined;
  _index?: Element | undefined;
  profile: Coding;
}

export interface TestScriptMetadataLink extends BackboneElement {
  url?: string | undefined;
  _url?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface TestScriptMetadataCapability extends BackboneElement {
  required?: boolean | undefined;
  _required?: Element | undefined;
  validated?: boolean | undefined;
  _validated?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  origin?: (number | null)[] | undefined;
  _origin?: (Element | null)[] | undefined;
  destination?: number | undefined;
  _destination?: Element | undefined;
  link?: (string | null)[] | undefined;
  _link?: (Element | null)[] | undefined;
  capabilities?: string | undefined;
  _capabilities?: Element | undefined;
}

export interface TestScriptMetadata extends BackboneElement {
  link?: TestScriptMetadataLink[] | undefined;
  capability: TestScriptMetadataCapability[];
}

export interface TestScriptFixture extends BackboneElement {
  autocreate?: boolean | undefined;
  _autocreate?: Element | undefined;
  autodelete?: boolean | undefined;
  _autodelete?: Element | undefined;
  resource?: Reference | undefined;
}

export interface TestScriptVariable extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  defaultValue?: string | undefined;
  _defaultValue?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
  headerField?: string | undefined;
  _headerField?: Element | undefined;
  hint?: string | undefined;
  _hint?: Element | undefined;
  path?: string | undefined;
  _path?: Element | undefined;
  sourceId?: string | undefined;
  _sourceId?: Element | undefined;
}

export interface TestScriptSetupActionOperationRequestHeader extends BackboneElement {
  field?: string | undefined;
  _field?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface TestScriptSetupActionOperation extends BackboneElement {
  type?: Coding | undefined;
  resource?: ('Address'|'Age'|'Annotation'|'Attachment'|'BackboneElement'|'CodeableConcept'|'Coding'|'ContactDetail'|'ContactPoint'|'Contributor'|'Count'|'DataRequirement'|'Distance'|'Dosage'|'Duration'|'Element'|'ElementDefinition'|'Expression'|'Extension'|'HumanName'|'Identifier'|'MarketingStatus'|'Meta'|'Money'|'MoneyQuantity'|'Narrative'|'ParameterDefinition'|'Period'|'Population'|'ProdCharacteristic'|'ProductShelfLife'|'Quantity'|'Range'|'Ratio'|'Reference'|'RelatedArtifact'|'SampledData'|'Signature'|'SimpleQuantity'|'SubstanceAmount'|'Timing'|'TriggerDefinition'|'UsageContext'|'base64Binary'|'boolean'|'canonical'|'code'|'date'|'dateTime'|'decimal'|'id'|'instant'|'integer'|'markdown'|'oid'|'positiveInt'|'string'|'time'|'unsignedInt'|'uri'|'url'|'uuid'|'xhtml'|'Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _resource?: Element | undefined;
  label?: string | undefined;
  _label?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  accept?: string | undefined;
  _accept?: Element | undefined;
  contentType?: string | undefined;
  _contentType?: Element | undefined;
  destination?: number | undefined;
  _destination?: Element | undefined;
  encodeRequestUrl?: boolean | undefined;
  _encodeRequestUrl?: Element | undefined;
  method?: ('delete'|'get'|'options'|'patch'|'post'|'put'|'head') | undefined;
  _method?: Element | undefined;
  origin?: number | undefined;
  _origin?: Element | undefined;
  params?: string | undefined;
  _params?: Element | undefined;
  requestHeader?: TestScriptSetupActionOperationRequestHeader[] | undefined;
  requestId?: string | undefined;
  _requestId?: Element | undefined;
  responseId?: string | undefined;
  _responseId?: Element | undefined;
  sourceId?: string | undefined;
  _sourceId?: Element | undefined;
  targetId?: string | undefined;
  _targetId?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
}

export interface TestScriptSetupActionAssert extends BackboneElement {
  label?: string | undefined;
  _label?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  direction?: ('response'|'request') | undefined;
  _direction?: Element | undefined;
  compareToSourceId?: string | undefined;
  _compareToSourceId?: Element | undefined;
  compareToSourceExpression?: string | undefined;
  _compareToSourceExpression?: Element | undefined;
  compareToSourcePath?: string | undefined;
  _compareToSourcePath?: Element | undefined;
  contentType?: string | undefined;
  _contentType?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
  headerField?: string | undefined;
  _headerField?: Element | undefined;
  minimumId?: string | undefined;
  _minimumId?: Element | undefined;
  navigationLinks?: boolean | undefined;
  _navigationLinks?: Element | undefined;
  operator?: ('equals'|'notEquals'|'in'|'notIn'|'greaterThan'|'lessThan'|'empty'|'notEmpty'|'contains'|'notContains'|'eval') | undefined;
  _operator?: Element | undefined;
  path?: string | undefined;
  _path?: Element | undefined;
  requestMethod?: ('delete'|'get'|'options'|'patch'|'post'|'put'|'head') | undefined;
  _requestMethod?: Element | undefined;
  requestURL?: string | undefined;
  _requestURL?: Element | undefined;
  resource?: ('Address'|'Age'|'Annotation'|'Attachment'|'BackboneElement'|'CodeableConcept'|'Coding'|'ContactDetail'|'ContactPoint'|'Contributor'|'Count'|'DataRequirement'|'Distance'|'Dosage'|'Duration'|'Element'|'ElementDefinition'|'Expression'|'Extension'|'HumanName'|'Identifier'|'MarketingStatus'|'Meta'|'Money'|'MoneyQuantity'|'Narrative'|'ParameterDefinition'|'Period'|'Population'|'ProdCharacteristic'|'ProductShelfLife'|'Quantity'|'Range'|'Ratio'|'Reference'|'RelatedArtifact'|'SampledData'|'Signature'|'SimpleQuantity'|'SubstanceAmount'|'Timing'|'TriggerDefinition'|'UsageContext'|'base64Binary'|'boolean'|'canonical'|'code'|'date'|'dateTime'|'decimal'|'id'|'instant'|'integer'|'markdown'|'oid'|'positiveInt'|'string'|'time'|'unsignedInt'|'uri'|'url'|'uuid'|'xhtml'|'Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _resource?: Element | undefined;
  response?: ('okay'|'created'|'noContent'|'notModified'|'bad'|'forbidden'|'notFound'|'methodNotAllowed'|'conflict'|'gone'|'preconditionFailed'|'unprocessable') | undefined;
  _response?: Element | undefined;
  responseCode?: string | undefined;
  _responseCode?: Element | undefined;
  sourceId?: string | undefined;
  _sourceId?: Element | undefined;
  validateProfileId?: string | undefined;
  _validateProfileId?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
  warningOnly?: boolean | undefined;
  _warningOnly?: Element | undefined;
}

export interface TestScriptSetupAction extends BackboneElement {
  operation?: TestScriptSetupActionOperation | undefined;
  assert?: TestScriptSetupActionAssert | undefined;
}

export interface TestScriptSetup extends BackboneElement {
  action: TestScriptSetupAction[];
}

export interface TestScriptTestAction extends BackboneElement {
  operation?: TestScriptSetupActionOperation | undefined;
  assert?: TestScriptSetupActionAssert | undefined;
}

export interface TestScriptTest extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  action: TestScriptTestAction[];
}

export interface TestScriptTeardownAction extends BackboneElement {
  operation: TestScriptSetupActionOperation;
}

export interface TestScriptTeardown extends BackboneElement {
  action: TestScriptTeardownAction[];
}

export interface ResearchStudy extends DomainResource {
  readonly resourceType: 'ResearchStudy';
  identifier?: Identifier[] | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  protocol?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('active'|'administratively-completed'|'approved'|'closed-to-accrual'|'closed-to-accrual-and-intervention'|'completed'|'disapproved'|'in-review'|'temporarily-closed-to-accrual'|'temporarily-closed-to-accrual-and-intervention'|'withdrawn') | undefined;
  _status?: Element | undefined;
  primaryPurposeType?: CodeableConcept | undefined;
  phase?: CodeableConcept | undefined;
  category?: CodeableConcept[] | undefined;
  focus?: CodeableConcept[] | undefined;
  condition?: CodeableConcept[] | undefined;
  contact?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  keyword?: CodeableConcept[] | undefined;
  location?: CodeableConcept[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  enrollment?: Reference[] | undefined;
  period?: Period | undefined;
  sponsor?: Reference | undefined;
  principalInvestigator?: Reference | undefined;
  site?: Reference[] | undefined;
  reasonStopped?: CodeableConcept | undefined;
  note?: Annotation[] | undefined;
  arm?: ResearchStudyArm[] | undefined;
  objective?: ResearchStudyObjective[] | undefined;
}

export interface ResearchStudyArm extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  type?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface ResearchStudyObjective extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  type?: CodeableConcept | undefined;
}

export interface PractitionerRole extends DomainResource {
  readonly resourceType: 'PractitionerRole';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  period?: Period | undefined;
  practitioner?: Reference | undefined;
  organization?: Reference | undefined;
  code?: CodeableConcept[] | undefined;
  specialty?: CodeableConcept[] | undefined;
  location?: Reference[] | undefined;
  healthcareService?: Reference[] | undefined;
  telecom?: ContactPoint[] | undefined;
  availableTime?: PractitionerRoleAvailableTime[] | undefined;
  notAvailable?: PractitionerRoleNotAvailable[] | undefined;
  availabilityExceptions?: string | undefined;
  _availabilityExceptions?: Element | undefined;
  endpoint?: Reference[] | undefined;
}

export interface PractitionerRoleAvailableTime extends BackboneElement {
  daysOfWeek?: (('mon'|'tue'|'wed'|'thu'|'fri'|'sat'|'sun') | null)[] | undefined;
  _daysOfWeek?: (Element | null)[] | undefined;
  allDay?: boolean | undefined;
  _allDay?: Element | undefined;
  availableStartTime?: string | undefined;
  _availableStartTime?: Element | undefined;
  availableEndTime?: string | undefined;
  _availableEndTime?: Element | undefined;
}

export interface PractitionerRoleNotAvailable extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  during?: Period | undefined;
}

export interface TestReport extends DomainResource {
  readonly resourceType: 'TestReport';
  identifier?: Identifier | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  status?: ('completed'|'in-progress'|'waiting'|'stopped'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  testScript: Reference;
  result?: ('pass'|'fail'|'pending') | undefined;
  _result?: Element | undefined;
  score?: number | undefined;
  _score?: Element | undefined;
  tester?: string | undefined;
  _tester?: Element | undefined;
  issued?: string | undefined;
  _issued?: Element | undefined;
  participant?: TestReportParticipant[] | undefined;
  setup?: TestReportSetup | undefined;
  test?: TestReportTest[] | undefined;
  teardown?: TestReportTeardown | undefined;
}

export interface TestReportParticipant extends BackboneElement {
  type?: ('test-engine'|'client'|'server') | undefined;
  _type?: Element | undefined;
  uri?: string | undefined;
  _uri?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
}

export interface TestReportSetupActionOperation extends BackboneElement {
  result?: ('pass'|'skip'|'fail'|'warning'|'error') | undefined;
  _result?: Element | undefined;
  message?: string | undefined;
  _message?: Element | undefined;
  detail?: string | undefined;
  _detail?: Element | undefined;
}

export interface TestReportSetupActionAssert extends BackboneElement {
  result?: ('pass'|'skip'|'fail'|'warning'|'error') | undefined;
  _result?: Element | undefined;
  message?: string | undefined;
  _message?: Element | undefined;
  detail?: string | undefined;
  _detail?: Element | undefined;
}

export interface TestReportSetupAction extends BackboneElement {
  operation?: TestReportSetupActionOperation | undefined;
  assert?: TestReportSetupActionAssert | undefined;
}

export interface TestReportSetup extends BackboneElement {
  action: TestReportSetupAction[];
}

export interface TestReportTestAction extends BackboneElement {
  operation?: TestReportSetupActionOperation | undefined;
  assert?: TestReportSetupActionAssert | undefined;
}

export interface TestReportTest extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  action: TestReportTestAction[];
}

export interface TestReportTeardownAction extends BackboneElement {
  operation: TestReportSetupActionOperation;
}

export interface TestReportTeardown extends BackboneElement {
  action: TestReportTeardownAction[];
}

export interface Ratio extends Element {
  numerator?: Quantity | undefined;
  denominator?: Quantity | undefined;
}

export interface MeasureReport extends DomainResource {
  readonly resourceType: 'MeasureReport';
  identifier?: Identifier[] | undefined;
  status?: ('complete'|'pending'|'error') | undefined;
  _status?: Element | undefined;
  type?: ('individual'|'subject-list'|'summary'|'data-collection') | undefined;
  _type?: Element | undefined;
  measure?: string | undefined;
  _measure?: Element | undefined;
  subject?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  reporter?: Reference | undefined;
  period: Period;
  improvementNotation?: CodeableConcept | undefined;
  group?: MeasureReportGroup[] | undefined;
  evaluatedResource?: Reference[] | undefined;
}

export interface MeasureReportGroupPopulation extends BackboneElement {
  code?: CodeableConcept | undefined;
  count?: number | undefined;
  _count?: Element | undefined;
  subjectResults?: Reference | undefined;
}

export interface MeasureReportGroupStratifierStratumComponent extends BackboneElement {
  code: CodeableConcept;
  value: CodeableConcept;
}

export interface MeasureReportGroupStratifierStratumPopulation extends BackboneElement {
  code?: CodeableConcept | undefined;
  count?: number | undefined;
  _count?: Element | undefined;
  subjectResults?: Reference | undefined;
}

export interface MeasureReportGroupStratifierStratum extends BackboneElement {
  value?: CodeableConcept | undefined;
  component?: MeasureReportGroupStratifierStratumComponent[] | undefined;
  population?: MeasureReportGroupStratifierStratumPopulation[] | undefined;
  measureScore?: Quantity | undefined;
}

export interface MeasureReportGroupStratifier extends BackboneElement {
  code?: CodeableConcept[] | undefined;
  stratum?: MeasureReportGroupStratifierStratum[] | undefined;
}

export interface MeasureReportGroup extends BackboneElement {
  code?: CodeableConcept | undefined;
  population?: MeasureReportGroupPopulation[] | undefined;
  measureScore?: Quantity | undefined;
  stratifier?: MeasureReportGroupStratifier[] | undefined;
}

export interface SubstanceSourceMaterial extends DomainResource {
  readonly resourceType: 'SubstanceSourceMaterial';
  sourceMaterialClass?: CodeableConcept | undefined;
  sourceMaterialType?: CodeableConcept | undefined;
  sourceMaterialState?: CodeableConcept | undefined;
  organismId?: Identifier | undefined;
  organismName?: string | undefined;
  _organismName?: Element | undefined;
  parentSubstanceId?: Identifier[] | undefined;
  parentSubstanceName?: (string | null)[] | undefined;
  _parentSubstanceName?: (Element | null)[] | undefined;
  countryOfOrigin?: CodeableConcept[] | undefined;
  geographicalLocation?: (string | null)[] | undefined;
  _geographicalLocation?: (Element | null)[] | undefined;
  developmentStage?: CodeableConcept | undefined;
  fractionDescription?: SubstanceSourceMaterialFractionDescription[] | undefined;
  organism?: SubstanceSourceMaterialOrganism | undefined;
  partDescription?: SubstanceSourceMaterialPartDescription[] | undefined;
}

export interface SubstanceSourceMaterialFractionDescription extends BackboneElement {
  fraction?: string | undefined;
  _fraction?: Element | undefined;
  materialType?: CodeableConcept | undefined;
}

export interface SubstanceSourceMaterialOrganismAuthor extends BackboneElement {
  authorType?: CodeableConcept | undefined;
  authorDescription?: string | undefined;
  _authorDescription?: Element | undefined;
}

export interface SubstanceSourceMaterialOrganismHybrid extends BackboneElement {
  maternalOrganismId?: string | undefined;
  _maternalOrganismId?: Element | undefined;
  maternalOrganismName?: string | undefined;
  _maternalOrganismName?: Element | undefined;
  paternalOrganismId?: string | undefined;
  _paternalOrganismId?: Element | undefined;
  paternalOrganismName?: string | undefined;
  _paternalOrganismName?: Element | undefined;
  hybridType?: CodeableConcept | undefined;
}

export interface SubstanceSourceMaterialOrganismOrganismGeneral extends BackboneElement {
  kingdom?: CodeableConcept | undefined;
  phylum?: CodeableConcept | undefined;
  class?: CodeableConcept | undefined;
  order?: CodeableConcept | undefined;
}

export interface SubstanceSourceMaterialOrganism extends BackboneElement {
  family?: CodeableConcept | undefined;
  genus?: CodeableConcept | undefined;
  species?: CodeableConcept | undefined;
  intraspecificType?: CodeableConcept | undefined;
  intraspecificDescription?: string | undefined;
  _intraspecificDescription?: Element | undefined;
  author?: SubstanceSourceMaterialOrganismAuthor[] | undefined;
  hybrid?: SubstanceSourceMaterialOrganismHybrid | undefined;
  organismGeneral?: SubstanceSourceMaterialOrganismOrganismGeneral | undefined;
}

export interface SubstanceSourceMaterialPartDescription extends BackboneElement {
  part?: CodeableConcept | undefined;
  partLocation?: CodeableConcept | undefined;
}

export interface SupplyRequest extends DomainResource {
  readonly resourceType: 'SupplyRequest';
  identifier?: Identifier[] | undefined;
  status?: ('draft'|'active'|'suspended'|'cancelled'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  category?: CodeableConcept | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  itemCodeableConcept?: CodeableConcept | undefined;
  itemReference?: Reference | undefined;
  quantity: Quantity;
  parameter?: SupplyRequestParameter[] | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  occurrenceTiming?: Timing | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  requester?: Reference | undefined;
  supplier?: Reference[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  deliverFrom?: Reference | undefined;
  deliverTo?: Reference | undefined;
}

export interface SupplyRequestParameter extends BackboneElement {
  code?: CodeableConcept | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
}

export interface Coding extends Element {
  system?: string | undefined;
  _system?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  userSelected?: boolean | undefined;
  _userSelected?: Element | undefined;
}

export interface DataRequirement extends Element {
  type?: ('Address'|'Age'|'Annotation'|'Attachment'|'BackboneElement'|'CodeableConcept'|'Coding'|'ContactDetail'|'ContactPoint'|'Contributor'|'Count'|'DataRequirement'|'Distance'|'Dosage'|'Duration'|'Element'|'ElementDefinition'|'Expression'|'Extension'|'HumanName'|'Identifier'|'MarketingStatus'|'Meta'|'Money'|'MoneyQuantity'|'Narrative'|'ParameterDefinition'|'Period'|'Population'|'ProdCharacteristic'|'ProductShelfLife'|'Quantity'|'Range'|'Ratio'|'Reference'|'RelatedArtifact'|'SampledData'|'Signature'|'SimpleQuantity'|'SubstanceAmount'|'Timing'|'TriggerDefinition'|'UsageContext'|'base64Binary'|'boolean'|'canonical'|'code'|'date'|'dateTime'|'decimal'|'id'|'instant'|'integer'|'markdown'|'oid'|'positiveInt'|'string'|'time'|'unsignedInt'|'uri'|'url'|'uuid'|'xhtml'|'Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription'|'Type'|'Any') | undefined;
  _type?: Element | undefined;
  profile?: (string | null)[] | undefined;
  _profile?: (Element | null)[] | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  mustSupport?: (string | null)[] | undefined;
  _mustSupport?: (Element | null)[] | undefined;
  codeFilter?: DataRequirementCodeFilter[] | undefined;
  dateFilter?: DataRequirementDateFilter[] | undefined;
  limit?: number | undefined;
  _limit?: Element | undefined;
  sort?: DataRequirementSort[] | undefined;
}

export interface DataRequirementCodeFilter extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  searchParam?: string | undefined;
  _searchParam?: Element | undefined;
  valueSet?: string | undefined;
  _valueSet?: Element | undefined;
  code?: Coding[] | undefined;
}

export interface DataRequirementDateFilter extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  searchParam?: string | undefined;
  _searchParam?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valuePeriod?: Period | undefined;
  valueDuration?: Duration | undefined;
}

export interface DataRequirementSort extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  direction?: ('ascending'|'descending') | undefined;
  _direction?: Element | undefined;
}

export interface Provenance extends DomainResource {
  readonly resourceType: 'Provenance';
  target: Reference[];
  occurredPeriod?: Period | undefined;
  occurredDateTime?: string | undefined;
  _occurredDateTime?: Element | undefined;
  recorded?: string | undefined;
  _recorded?: Element | undefined;
  policy?: (string | null)[] | undefined;
  _policy?: (Element | null)[] | undefined;
  location?: Reference | undefined;
  reason?: CodeableConcept[] | undefined;
  activity?: CodeableConcept | undefined;
  agent: ProvenanceAgent[];
  entity?: ProvenanceEntity[] | undefined;
  signature?: Signature[] | undefined;
}

export interface ProvenanceAgent extends BackboneElement {
  type?: CodeableConcept | undefined;
  role?: CodeableConcept[] | undefined;
  who: Reference;
  onBehalfOf?: Reference | undefined;
}

export interface ProvenanceEntity extends BackboneElement {
  role?: ('derivation'|'revision'|'quotation'|'source'|'removal') | undefined;
  _role?: Element | undefined;
  what: Reference;
  agent?: ProvenanceAgent[] | undefined;
}

export interface Binary extends Resource {
  readonly resourceType: 'Binary';
  contentType?: string | undefined;
  _contentType?: Element | undefined;
  securityContext?: Reference | undefined;
  data?: string | undefined;
  _data?: Element | undefined;
}

export interface RiskAssessment extends DomainResource {
  readonly resourceType: 'RiskAssessment';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference | undefined;
  parent?: Reference | undefined;
  status?: ('registered'|'preliminary'|'final'|'amended'|'corrected'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  method?: CodeableConcept | undefined;
  code?: CodeableConcept | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  condition?: Reference | undefined;
  performer?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  basis?: Reference[] | undefined;
  prediction?: RiskAssessmentPrediction[] | undefined;
  mitigation?: string | undefined;
  _mitigation?: Element | undefined;
  note?: Annotation[] | undefined;
}

export interface RiskAssessmentPrediction extends BackboneElement {
  outcome?: CodeableConcept | undefined;
  probabilityDecimal?: number | undefined;
  _probabilityDecimal?: Element | undefined;
  probabilityRange?: Range | undefined;
  qualitativeRisk?: CodeableConcept | undefined;
  relativeRisk?: number | undefined;
  _relativeRisk?: Element | undefined;
  whenPeriod?: Period | undefined;
  whenRange?: Range | undefined;
  rationale?: string | undefined;
  _rationale?: Element | undefined;
}

export interface Parameters extends Resource {
  readonly resourceType: 'Parameters';
  parameter?: ParametersParameter[] | undefined;
}

export interface ParametersParameter extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueCanonical?: string | undefined;
  _valueCanonical?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueId?: string | undefined;
  _valueId?: Element | undefined;
  valueInstant?: string | undefined;
  _valueInstant?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueMarkdown?: string | undefined;
  _valueMarkdown?: Element | undefined;
  valueOid?: string | undefined;
  _valueOid?: Element | undefined;
  valuePositiveInt?: number | undefined;
  _valuePositiveInt?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueUnsignedInt?: number | undefined;
  _valueUnsignedInt?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueUrl?: string | undefined;
  _valueUrl?: Element | undefined;
  valueUuid?: string | undefined;
  _valueUuid?: Element | undefined;
  valueAddress?: Address | undefined;
  valueAge?: Age | undefined;
  valueAnnotation?: Annotation | undefined;
  valueAttachment?: Attachment | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueCoding?: Coding | undefined;
  valueContactPoint?: ContactPoint | undefined;
  valueCount?: Count | undefined;
  valueDistance?: Distance | undefined;
  valueDuration?: Duration | undefined;
  valueHumanName?: HumanName | undefined;
  valueIdentifier?: Identifier | undefined;
  valueMoney?: Money | undefined;
  valuePeriod?: Period | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueReference?: Reference | undefined;
  valueSampledData?: SampledData | undefined;
  valueSignature?: Signature | undefined;
  valueTiming?: Timing | undefined;
  valueContactDetail?: ContactDetail | undefined;
  valueContributor?: Contributor | undefined;
  valueDataRequirement?: DataRequirement | undefined;
  valueExpression?: Expression | undefined;
  valueParameterDefinition?: ParameterDefinition | undefined;
  valueRelatedArtifact?: RelatedArtifact | undefined;
  valueTriggerDefinition?: TriggerDefinition | undefined;
  valueUsageContext?: UsageContext | undefined;
  valueDosage?: Dosage | undefined;
  valueMeta?: Meta | undefined;
  resource?: Resource | undefined;
  part?: ParametersParameter[] | undefined;
}

export interface HealthcareService extends DomainResource {
  readonly resourceType: 'HealthcareService';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  providedBy?: Reference | undefined;
  category?: CodeableConcept[] | undefined;
  type?: CodeableConcept[] | undefined;
  specialty?: CodeableConcept[] | undefined;
  location?: Reference[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  extraDetails?: string | undefined;
  _extraDetails?: Element | undefined;
  photo?: Attachment | undefined;
  telecom?: ContactPoint[] | undefined;
  coverageArea?: Reference[] | undefined;
  serviceProvisionCode?: CodeableConcept[] | undefined;
  eligibility?: HealthcareServiceEligibility[] | undefined;
  program?: CodeableConcept[] | undefined;
  characteristic?: CodeableConcept[] | undefined;
  communication?: CodeableConcept[] | undefined;
  referralMethod?: CodeableConcept[] | undefined;
  appointmentRequired?: boolean | undefined;
  _appointmentRequired?: Element | undefined;
  availableTime?: HealthcareServiceAvailableTime[] | undefined;
  notAvailable?: HealthcareServiceNotAvailable[] | undefined;
  availabilityExceptions?: string | undefined;
  _availabilityExceptions?: Element | undefined;
  endpoint?: Reference[] | undefined;
}

export interface HealthcareServiceEligibility extends BackboneElement {
  code?: CodeableConcept | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface HealthcareServiceAvailableTime extends BackboneElement {
  daysOfWeek?: (('mon'|'tue'|'wed'|'thu'|'fri'|'sat'|'sun') | null)[] | undefined;
  _daysOfWeek?: (Element | null)[] | undefined;
  allDay?: boolean | undefined;
  _allDay?: Element | undefined;
  availableStartTime?: string | undefined;
  _availableStartTime?: Element | undefined;
  availableEndTime?: string | undefined;
  _availableEndTime?: Element | undefined;
}

export interface HealthcareServiceNotAvailable extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  during?: Period | undefined;
}

export interface RelatedPerson extends DomainResource {
  readonly resourceType: 'RelatedPerson';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  patient: Reference;
  relationship?: CodeableConcept[] | undefined;
  name?: HumanName[] | undefined;
  telecom?: ContactPoint[] | undefined;
  gender?: ('male'|'female'|'other'|'unknown') | undefined;
  _gender?: Element | undefined;
  birthDate?: string | undefined;
  _birthDate?: Element | undefined;
  address?: Address[] | undefined;
  photo?: Attachment[] | undefined;
  period?: Period | undefined;
  communication?: RelatedPersonCommunication[] | undefined;
}

export interface RelatedPersonCommunication extends BackboneElement {
  language: CodeableConcept;
  preferred?: boolean | undefined;
  _preferred?: Element | undefined;
}

export interface Evidence extends DomainResource {
  readonly resourceType: 'Evidence';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  shortTitle?: string | undefined;
  _shortTitle?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  note?: Annotation[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  exposureBackground: Reference;
  exposureVariant?: Reference[] | undefined;
  outcome?: Reference[] | undefined;
}

export interface Basic extends DomainResource {
  readonly resourceType: 'Basic';
  identifier?: Identifier[] | undefined;
  code: CodeableConcept;
  subject?: Reference | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  author?: Reference | undefined;
}

export interface NamingSystem extends DomainResource {
  readonly resourceType: 'NamingSystem';
  name?: string | undefined;
  _name?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  kind?: ('codesystem'|'identifier'|'root') | undefined;
  _kind?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  responsible?: string | undefined;
  _responsible?: Element | undefined;
  type?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  uniqueId: NamingSystemUniqueId[];
}

export interface NamingSystemUniqueId extends BackboneElement {
  type?: ('oid'|'uuid'|'uri'|'other') | undefined;
  _type?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
  preferred?: boolean | undefined;
  _preferred?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  period?: Period | undefined;
}

export interface VisionPrescription extends DomainResource {
  readonly resourceType: 'VisionPrescription';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  patient: Reference;
  encounter?: Reference | undefined;
  dateWritten?: string | undefined;
  _dateWritten?: Element | undefined;
  prescriber: Reference;
  lensSpecification: VisionPrescriptionLensSpecification[];
}

export interface VisionPrescriptionLensSpecificationPrism extends BackboneElement {
  amount?: number | undefined;
  _amount?: Element | undefined;
  base?: ('up'|'down'|'in'|'out') | undefined;
  _base?: Element | undefined;
}

export interface VisionPrescriptionLensSpecification extends BackboneElement {
  product: CodeableConcept;
  eye?: ('right'|'left') | undefined;
  _eye?: Element | undefined;
  sphere?: number | undefined;
  _sphere?: Element | undefined;
  cylinder?: number | undefined;
  _cylinder?: Element | undefined;
  axis?: number | undefined;
  _axis?: Element | undefined;
  prism?: VisionPrescriptionLensSpecificationPrism[] | undefined;
  add?: number | undefined;
  _add?: Element | undefined;
  power?: number | undefined;
  _power?: Element | undefined;
  backCurve?: number | undefined;
  _backCurve?: Element | undefined;
  diameter?: number | undefined;
  _diameter?: Element | undefined;
  duration?: Quantity | undefined;
  color?: string | undefined;
  _color?: Element | undefined;
  brand?: string | undefined;
  _brand?: Element | undefined;
  note?: Annotation[] | undefined;
}

export interface EnrollmentRequest extends DomainResource {
  readonly resourceType: 'EnrollmentRequest';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  insurer?: Reference | undefined;
  provider?: Reference | undefined;
  candidate?: Reference | undefined;
  coverage?: Reference | undefined;
}

export interface Flag extends DomainResource {
  readonly resourceType: 'Flag';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'inactive'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  code: CodeableConcept;
  subject: Reference;
  period?: Period | undefined;
  encounter?: Reference | undefined;
  author?: Reference | undefined;
}

export interface ParameterDefinition extends Element {
  name?: string | undefined;
  _name?: Element | undefined;
  use?: ('in'|'out') | undefined;
  _use?: Element | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  type?: ('Address'|'Age'|'Annotation'|'Attachment'|'BackboneElement'|'CodeableConcept'|'Coding'|'ContactDetail'|'ContactPoint'|'Contributor'|'Count'|'DataRequirement'|'Distance'|'Dosage'|'Duration'|'Element'|'ElementDefinition'|'Expression'|'Extension'|'HumanName'|'Identifier'|'MarketingStatus'|'Meta'|'Money'|'MoneyQuantity'|'Narrative'|'ParameterDefinition'|'Period'|'Population'|'ProdCharacteristic'|'ProductShelfLife'|'Quantity'|'Range'|'Ratio'|'Reference'|'RelatedArtifact'|'SampledData'|'Signature'|'SimpleQuantity'|'SubstanceAmount'|'Timing'|'TriggerDefinition'|'UsageContext'|'base64Binary'|'boolean'|'canonical'|'code'|'date'|'dateTime'|'decimal'|'id'|'instant'|'integer'|'markdown'|'oid'|'positiveInt'|'string'|'time'|'unsignedInt'|'uri'|'url'|'uuid'|'xhtml'|'Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription'|'Type'|'Any') | undefined;
  _type?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
}

export interface ExplanationOfBenefit extends DomainResource {
  readonly resourceType: 'ExplanationOfBenefit';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type: CodeableConcept;
  subType?: CodeableConcept | undefined;
  use?: ('claim'|'preauthorization'|'predetermination') | undefined;
  _use?: Element | undefined;
  patient: Reference;
  billablePeriod?: Period | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  enterer?: Reference | undefined;
  insurer: Reference;
  provider: Reference;
  priority?: CodeableConcept | undefined;
  fundsReserveRequested?: CodeableConcept | undefined;
  fundsReserve?: CodeableConcept | undefined;
  related?: ExplanationOfBenefitRelated[] | undefined;
  prescription?: Reference | undefined;
  originalPrescription?: Reference | undefined;
  payee?: ExplanationOfBenefitPayee | undefined;
  referral?: Reference | undefined;
  facility?: Reference | undefined;
  claim?: Reference | undefined;
  claimResponse?: Reference | undefined;
  outcome?: ('queued'|'complete'|'error'|'partial') | undefined;
  _outcome?: Element | undefined;
  disposition?: string | undefined;
  _disposition?: Element | undefined;
  preAuthRef?: (string | null)[] | undefined;
  _preAuthRef?: (Element | null)[] | undefined;
  preAuthRefPeriod?: Period[] | undefined;
  careTeam?: ExplanationOfBenefitCareTeam[] | undefined;
  supportingInfo?: ExplanationOfBenefitSupportingInfo[] | undefined;
  diagnosis?: ExplanationOfBenefitDiagnosis[] | undefined;
  procedure?: ExplanationOfBenefitProcedure[] | undefined;
  precedence?: number | undefined;
  _precedence?: Element | undefined;
  insurance: ExplanationOfBenefitInsurance[];
  accident?: ExplanationOfBenefitAccident | undefined;
  item?: ExplanationOfBenefitItem[] | undefined;
  addItem?: ExplanationOfBenefitAddItem[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
  total?: ExplanationOfBenefitTotal[] | undefined;
  payment?: ExplanationOfBenefitPayment | undefined;
  formCode?: CodeableConcept | undefined;
  form?: Attachment | undefined;
  processNote?: ExplanationOfBenefitProcessNote[] | undefined;
  benefitPeriod?: Period | undefined;
  benefitBalance?: ExplanationOfBenefitBenefitBalance[] | undefined;
}

export interface ExplanationOfBenefitRelated extends BackboneElement {
  claim?: Reference | undefined;
  relationship?: CodeableConcept | undefined;
  reference?: Identifier | undefined;
}

export interface ExplanationOfBenefitPayee extends BackboneElement {
  type?: CodeableConcept | undefined;
  party?: Reference | undefined;
}

export interface ExplanationOfBenefitCareTeam extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  provider: Reference;
  responsible?: boolean | undefined;
  _responsible?: Element | undefined;
  role?: CodeableConcept | undefined;
  qualification?: CodeableConcept | undefined;
}

export interface ExplanationOfBenefitSupportingInfo extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  category: CodeableConcept;
  code?: CodeableConcept | undefined;
  timingDate?: string | undefined;
  _timingDate?: Element | undefined;
  timingPeriod?: Period | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueQuantity?: Quantity | undefined;
  valueAttachment?: Attachment | undefined;
  valueReference?: Reference | undefined;
  reason?: Coding | undefined;
}

export interface ExplanationOfBenefitDiagnosis extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  diagnosisCodeableConcept?: CodeableConcept | undefined;
  diagnosisReference?: Reference | undefined;
  type?: CodeableConcept[] | undefined;
  onAdmission?: CodeableConcept | undefined;
  packageCode?: CodeableConcept | undefined;
}

export interface ExplanationOfBenefitProcedure extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  type?: CodeableConcept[] | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  procedureCodeableConcept?: CodeableConcept | undefined;
  procedureReference?: Reference | undefined;
  udi?: Reference[] | undefined;
}

export interface ExplanationOfBenefitInsurance extends BackboneElement {
  focal?: boolean | undefined;
  _focal?: Element | undefined;
  coverage: Reference;
  preAuthRef?: (string | null)[] | undefined;
  _preAuthRef?: (Element | null)[] | undefined;
}

export interface ExplanationOfBenefitAccident extends BackboneElement {
  date?: string | undefined;
  _date?: Element | undefined;
  type?: CodeableConcept | undefined;
  locationAddress?: Address | undefined;
  locationReference?: Reference | undefined;
}

export interface ExplanationOfBenefitItemAdjudication extends BackboneElement {
  category: CodeableConcept;
  reason?: CodeableConcept | undefined;
  amount?: Money | undefined;
  value?: number | undefined;
  _value?: Element | undefined;
}

export interface ExplanationOfBenefitItemDetailSubDetail extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  revenue?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  udi?: Reference[] | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
}

export interface ExplanationOfBenefitItemDetail extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  revenue?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  udi?: Reference[] | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
  subDetail?: ExplanationOfBenefitItemDetailSubDetail[] | undefined;
}

export interface ExplanationOfBenefitItem extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  careTeamSequence?: (number | null)[] | undefined;
  _careTeamSequence?: (Element | null)[] | undefined;
  diagnosisSequence?: (number | null)[] | undefined;
  _diagnosisSequence?: (Element | null)[] | undefined;
  procedureSequence?: (number | null)[] | undefined;
  _procedureSequence?: (Element | null)[] | undefined;
  informationSequence?: (number | null)[] | undefined;
  _informationSequence?: (Element | null)[] | undefined;
  revenue?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  servicedDate?: string | undefined;
  _servicedDate?: Element | undefined;
  servicedPeriod?: Period | undefined;
  locationCodeableConcept?: CodeableConcept | undefined;
  locationAddress?: Address | undefined;
  locationReference?: Reference | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  udi?: Reference[] | undefined;
  bodySite?: CodeableConcept | undefined;
  subSite?: CodeableConcept[] | undefined;
  encounter?: Reference[] | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
  detail?: ExplanationOfBenefitItemDetail[] | undefined;
}

export interface ExplanationOfBenefitAddItemDetailSubDetail extends BackboneElement {
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
}

export interface ExplanationOfBenefitAddItemDetail extends BackboneElement {
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
  subDetail?: ExplanationOfBenefitAddItemDetailSubDetail[] | undefined;
}

export interface ExplanationOfBenefitAddItem extends BackboneElement {
  itemSequence?: (number | null)[] | undefined;
  _itemSequence?: (Element | null)[] | undefined;
  detailSequence?: (number | null)[] | undefined;
  _detailSequence?: (Element | null)[] | undefined;
  subDetailSequence?: (number | null)[] | undefined;
  _subDetailSequence?: (Element | null)[] | undefined;
  provider?: Reference[] | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  servicedDate?: string | undefined;
  _servicedDate?: Element | undefined;
  servicedPeriod?: Period | undefined;
  locationCodeableConcept?: CodeableConcept | undefined;
  locationAddress?: Address | undefined;
  locationReference?: Reference | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  bodySite?: CodeableConcept | undefined;
  subSite?: CodeableConcept[] | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ExplanationOfBenefitItemAdjudication[] | undefined;
  detail?: ExplanationOfBenefitAddItemDetail[] | undefined;
}

export interface ExplanationOfBenefitTotal extends BackboneElement {
  category: CodeableConcept;
  amount: Money;
}

export interface ExplanationOfBenefitPayment extends BackboneElement {
  type?: CodeableConcept | undefined;
  adjustment?: Money | undefined;
  adjustmentReason?: CodeableConcept | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  amount?: Money | undefined;
  identifier?: Identifier | undefined;
}

export interface ExplanationOfBenefitProcessNote extends BackboneElement {
  number?: number | undefined;
  _number?: Element | undefined;
  type?: ('display'|'print'|'printoper') | undefined;
  _type?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  language?: CodeableConcept | undefined;
}

export interface ExplanationOfBenefitBenefitBalanceFinancial extends BackboneElement {
  type: CodeableConcept;
  allowedUnsignedInt?: number | undefined;
  _allowedUnsignedInt?: Element | undefined;
  allowedString?: string | undefined;
  _allowedString?: Element | undefined;
  allowedMoney?: Money | undefined;
  usedUnsignedInt?: number | undefined;
  _usedUnsignedInt?: Element | undefined;
  usedMoney?: Money | undefined;
}

export interface ExplanationOfBenefitBenefitBalance extends BackboneElement {
  category: CodeableConcept;
  excluded?: boolean | undefined;
  _excluded?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  network?: CodeableConcept | undefined;
  unit?: CodeableConcept | undefined;
  term?: CodeableConcept | undefined;
  financial?: ExplanationOfBenefitBenefitBalanceFinancial[] | undefined;
}

export interface Patient extends DomainResource {
  readonly resourceType: 'Patient';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  name?: HumanName[] | undefined;
  telecom?: ContactPoint[] | undefined;
  gender?: ('male'|'female'|'other'|'unknown') | undefined;
  _gender?: Element | undefined;
  birthDate?: string | undefined;
  _birthDate?: Element | undefined;
  deceasedBoolean?: boolean | undefined;
  _deceasedBoolean?: Element | undefined;
  deceasedDateTime?: string | undefined;
  _deceasedDateTime?: Element | undefined;
  address?: Address[] | undefined;
  maritalStatus?: CodeableConcept | undefined;
  multipleBirthBoolean?: boolean | undefined;
  _multipleBirthBoolean?: Element | undefined;
  multipleBirthInteger?: number | undefined;
  _multipleBirthInteger?: Element | undefined;
  photo?: Attachment[] | undefined;
  contact?: PatientContact[] | undefined;
  communication?: PatientCommunication[] | undefined;
  generalPractitioner?: Reference[] | undefined;
  managingOrganization?: Reference | undefined;
  link?: PatientLink[] | undefined;
}

export interface PatientContact extends BackboneElement {
  relationship?: CodeableConcept[] | undefined;
  name?: HumanName | undefined;
  telecom?: ContactPoint[] | undefined;
  address?: Address | undefined;
  gender?: ('male'|'female'|'other'|'unknown') | undefined;
  _gender?: Element | undefined;
  organization?: Reference | undefined;
  period?: Period | undefined;
}

export interface PatientCommunication extends BackboneElement {
  language: CodeableConcept;
  preferred?: boolean | undefined;
  _preferred?: Element | undefined;
}

export interface PatientLink extends BackboneElement {
  other: Reference;
  type?: ('replaced-by'|'replaces'|'refer'|'seealso') | undefined;
  _type?: Element | undefined;
}

export interface MedicinalProduct extends DomainResource {
  readonly resourceType: 'MedicinalProduct';
  identifier?: Identifier[] | undefined;
  type?: CodeableConcept | undefined;
  domain?: Coding | undefined;
  combinedPharmaceuticalDoseForm?: CodeableConcept | undefined;
  legalStatusOfSupply?: CodeableConcept | undefined;
  additionalMonitoringIndicator?: CodeableConcept | undefined;
  specialMeasures?: (string | null)[] | undefined;
  _specialMeasures?: (Element | null)[] | undefined;
  paediatricUseIndicator?: CodeableConcept | undefined;
  productClassification?: CodeableConcept[] | undefined;
  marketingStatus?: MarketingStatus[] | undefined;
  pharmaceuticalProduct?: Reference[] | undefined;
  packagedMedicinalProduct?: Reference[] | undefined;
  attachedDocument?: Reference[] | undefined;
  masterFile?: Reference[] | undefined;
  contact?: Reference[] | undefined;
  clinicalTrial?: Reference[] | undefined;
  name: MedicinalProductName[];
  crossReference?: Identifier[] | undefined;
  manufacturingBusinessOperation?: MedicinalProductManufacturingBusinessOperation[] | undefined;
  specialDesignation?: MedicinalProductSpecialDesignation[] | undefined;
}

export interface MedicinalProductNameNamePart extends BackboneElement {
  part?: string | undefined;
  _part?: Element | undefined;
  type: Coding;
}

export interface MedicinalProductNameCountryLanguage extends BackboneElement {
  country: CodeableConcept;
  jurisdiction?: CodeableConcept | undefined;
  language: CodeableConcept;
}

export interface MedicinalProductName extends BackboneElement {
  productName?: string | undefined;
  _productName?: Element | undefined;
  namePart?: MedicinalProductNameNamePart[] | undefined;
  countryLanguage?: MedicinalProductNameCountryLanguage[] | undefined;
}

export interface MedicinalProductManufacturingBusinessOperation extends BackboneElement {
  operationType?: CodeableConcept | undefined;
  authorisationReferenceNumber?: Identifier | undefined;
  effectiveDate?: string | undefined;
  _effectiveDate?: Element | undefined;
  confidentialityIndicator?: CodeableConcept | undefined;
  manufacturer?: Reference[] | undefined;
  regulator?: Reference | undefined;
}

export interface MedicinalProductSpecialDesignation extends BackboneElement {
  identifier?: Identifier[] | undefined;
  type?: CodeableConcept | undefined;
  intendedUse?: CodeableConcept | undefined;
  indicationCodeableConcept?: CodeableConcept | undefined;
  indicationReference?: Reference | undefined;
  status?: CodeableConcept | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  species?: CodeableConcept | undefined;
}

export interface Specimen extends DomainResource {
  readonly resourceType: 'Specimen';
  identifier?: Identifier[] | undefined;
  accessionIdentifier?: Identifier | undefined;
  status?: ('available'|'unavailable'|'unsatisfactory'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  receivedTime?: string | undefined;
  _receivedTime?: Element | undefined;
  parent?: Reference[] | undefined;
  request?: Reference[] | undefined;
  collection?: SpecimenCollection | undefined;
  processing?: SpecimenProcessing[] | undefined;
  container?: SpecimenContainer[] | undefined;
  condition?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
}

export interface SpecimenCollection extends BackboneElement {
  collector?: Reference | undefined;
  collectedDateTime?: string | undefined;
  _collectedDateTime?: Element | undefined;
  collectedPeriod?: Period | undefined;
  duration?: Duration | undefined;
  quantity?: Quantity | undefined;
  method?: CodeableConcept | undefined;
  bodySite?: CodeableConcept | undefined;
  fastingStatusCodeableConcept?: CodeableConcept | undefined;
  fastingStatusDuration?: Duration | undefined;
}

export interface SpecimenProcessing extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  procedure?: CodeableConcept | undefined;
  additive?: Reference[] | undefined;
  timeDateTime?: string | undefined;
  _timeDateTime?: Element | undefined;
  timePeriod?: Period | undefined;
}

export interface SpecimenContainer extends BackboneElement {
  identifier?: Identifier[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  type?: CodeableConcept | undefined;
  capacity?: Quantity | undefined;
  specimenQuantity?: Quantity | undefined;
  additiveCodeableConcept?: CodeableConcept | undefined;
  additiveReference?: Reference | undefined;
}

export interface FamilyMemberHistory extends DomainResource {
  readonly resourceType: 'FamilyMemberHistory';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  status?: ('partial'|'completed'|'entered-in-error'|'health-unknown') | undefined;
  _status?: Element | undefined;
  dataAbsentReason?: CodeableConcept | undefined;
  patient: Reference;
  date?: string | undefined;
  _date?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  relationship: CodeableConcept;
  sex?: CodeableConcept | undefined;
  bornPeriod?: Period | undefined;
  bornDate?: string | undefined;
  _bornDate?: Element | undefined;
  bornString?: string | undefined;
  _bornString?: Element | undefined;
  ageAge?: Age | undefined;
  ageRange?: Range | undefined;
  ageString?: string | undefined;
  _ageString?: Element | undefined;
  estimatedAge?: boolean | undefined;
  _estimatedAge?: Element | undefined;
  deceasedBoolean?: boolean | undefined;
  _deceasedBoolean?: Element | undefined;
  deceasedAge?: Age | undefined;
  deceasedRange?: Range | undefined;
  deceasedDate?: string | undefined;
  _deceasedDate?: Element | undefined;
  deceasedString?: string | undefined;
  _deceasedString?: Element | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  condition?: FamilyMemberHistoryCondition[] | undefined;
}

export interface FamilyMemberHistoryCondition extends BackboneElement {
  code: CodeableConcept;
  outcome?: CodeableConcept | undefined;
  contributedToDeath?: boolean | undefined;
  _contributedToDeath?: Element | undefined;
  onsetAge?: Age | undefined;
  onsetRange?: Range | undefined;
  onsetPeriod?: Period | undefined;
  onsetString?: string | undefined;
  _onsetString?: Element | undefined;
  note?: Annotation[] | undefined;
}

export interface ResearchElementDefinition extends DomainResource {
  readonly resourceType: 'ResearchElementDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  shortTitle?: string | undefined;
  _shortTitle?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  comment?: (string | null)[] | undefined;
  _comment?: (Element | null)[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  library?: (string | null)[] | undefined;
  _library?: (Element | null)[] | undefined;
  type?: ('population'|'exposure'|'outcome') | undefined;
  _type?: Element | undefined;
  variableType?: ('dichotomous'|'continuous'|'descriptive') | undefined;
  _variableType?: Element | undefined;
  characteristic: ResearchElementDefinitionCharacteristic[];
}

export interface ResearchElementDefinitionCharacteristic extends BackboneElement {
  definitionCodeableConcept?: CodeableConcept | undefined;
  definitionCanonical?: string | undefined;
  _definitionCanonical?: Element | undefined;
  definitionExpression?: Expression | undefined;
  definitionDataRequirement?: DataRequirement | undefined;
  usageContext?: UsageContext[] | undefined;
  exclude?: boolean | undefined;
  _exclude?: Element | undefined;
  unitOfMeasure?: CodeableConcept | undefined;
  studyEffectiveDescription?: string | undefined;
  _studyEffectiveDescription?: Element | undefined;
  studyEffectiveDateTime?: string | undefined;
  _studyEffectiveDateTime?: Element | undefined;
  studyEffectivePeriod?: Period | undefined;
  studyEffectiveDuration?: Duration | undefined;
  studyEffectiveTiming?: Timing | undefined;
  studyEffectiveTimeFromStart?: Duration | undefined;
  studyEffectiveGroupMeasure?: ('mean'|'median'|'mean-of-mean'|'mean-of-median'|'median-of-mean'|'median-of-median') | undefined;
  _studyEffectiveGroupMeasure?: Element | undefined;
  participantEffectiveDescription?: string | undefined;
  _participantEffectiveDescription?: Element | undefined;
  participantEffectiveDateTime?: string | undefined;
  _participantEffectiveDateTime?: Element | undefined;
  participantEffectivePeriod?: Period | undefined;
  participantEffectiveDuration?: Duration | undefined;
  participantEffectiveTiming?: Timing | undefined;
  participantEffectiveTimeFromStart?: Duration | undefined;
  participantEffectiveGroupMeasure?: ('mean'|'median'|'mean-of-mean'|'mean-of-median'|'median-of-mean'|'median-of-median') | undefined;
  _participantEffectiveGroupMeasure?: Element | undefined;
}

export interface OperationDefinition extends DomainResource {
  readonly resourceType: 'OperationDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  kind?: ('operation'|'query') | undefined;
  _kind?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  affectsState?: boolean | undefined;
  _affectsState?: Element | undefined;
  code?: string | undefined;
  _code?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  base?: string | undefined;
  _base?: Element | undefined;
  resource?: (('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | null)[] | undefined;
  _resource?: (Element | null)[] | undefined;
  system?: boolean | undefined;
  _system?: Element | undefined;
  type?: boolean | undefined;
  _type?: Element | undefined;
  instance?: boolean | undefined;
  _instance?: Element | undefined;
  inputProfile?: string | undefined;
  _inputProfile?: Element | undefined;
  outputProfile?: string | undefined;
  _outputProfile?: Element | undefined;
  parameter?: OperationDefinitionParameter[] | undefined;
  overload?: OperationDefinitionOverload[] | undefined;
}

export interface OperationDefinitionParameterBinding extends BackboneElement {
  strength?: ('required'|'extensible'|'preferred'|'example') | undefined;
  _strength?: Element | undefined;
  valueSet?: string | undefined;
  _valueSet?: Element | undefined;
}

export interface OperationDefinitionParameterReferencedFrom extends BackboneElement {
  source?: string | undefined;
  _source?: Element | undefined;
  sourceId?: string | undefined;
  _sourceId?: Element | undefined;
}

export interface OperationDefinitionParameter extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  use?: ('in'|'out') | undefined;
  _use?: Element | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  type?: ('Address'|'Age'|'Annotation'|'Attachment'|'BackboneElement'|'CodeableConcept'|'Coding'|'ContactDetail'|'ContactPoint'|'Contributor'|'Count'|'DataRequirement'|'Distance'|'Dosage'|'Duration'|'Element'|'ElementDefinition'|'Expression'|'Extension'|'HumanName'|'Identifier'|'MarketingStatus'|'Meta'|'Money'|'MoneyQuantity'|'Narrative'|'ParameterDefinition'|'Period'|'Population'|'ProdCharacteristic'|'ProductShelfLife'|'Quantity'|'Range'|'Ratio'|'Reference'|'RelatedArtifact'|'SampledData'|'Signature'|'SimpleQuantity'|'SubstanceAmount'|'Timing'|'TriggerDefinition'|'UsageContext'|'base64Binary'|'boolean'|'canonical'|'code'|'date'|'dateTime'|'decimal'|'id'|'instant'|'integer'|'markdown'|'oid'|'positiveInt'|'string'|'time'|'unsignedInt'|'uri'|'url'|'uuid'|'xhtml'|'Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription'|'Type'|'Any') | undefined;
  _type?: Element | undefined;
  targetProfile?: (string | null)[] | undefined;
  _targetProfile?: (Element | null)[] | undefined;
  searchType?: ('number'|'date'|'string'|'token'|'reference'|'composite'|'quantity'|'uri'|'special') | undefined;
  _searchType?: Element | undefined;
  binding?: OperationDefinitionParameterBinding | undefined;
  referencedFrom?: OperationDefinitionParameterReferencedFrom[] | undefined;
  part?: OperationDefinitionParameter[] | undefined;
}

export interface OperationDefinitionOverload extends BackboneElement {
  parameterName?: (string | null)[] | undefined;
  _parameterName?: (Element | null)[] | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface MedicinalProductIndication extends DomainResource {
  readonly resourceType: 'MedicinalProductIndication';
  subject?: Reference[] | undefined;
  diseaseSymptomProcedure?: CodeableConcept | undefined;
  diseaseStatus?: CodeableConcept | undefined;
  comorbidity?: CodeableConcept[] | undefined;
  intendedEffect?: CodeableConcept | undefined;
  duration?: Quantity | undefined;
  otherTherapy?: MedicinalProductIndicationOtherTherapy[] | undefined;
  undesirableEffect?: Reference[] | undefined;
  population?: Population[] | undefined;
}

export interface MedicinalProductIndicationOtherTherapy extends BackboneElement {
  therapyRelationshipType: CodeableConcept;
  medicationCodeableConcept?: CodeableConcept | undefined;
  medicationReference?: Reference | undefined;
}

export interface MarketingStatus extends BackboneElement {
  country: CodeableConcept;
  jurisdiction?: CodeableConcept | undefined;
  status: CodeableConcept;
  dateRange: Period;
  restoreDate?: string | undefined;
  _restoreDate?: Element | undefined;
}

export interface GraphDefinition extends DomainResource {
  readonly resourceType: 'GraphDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  start?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _start?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
  link?: GraphDefinitionLink[] | undefined;
}

export interface GraphDefinitionLinkTargetCompartment extends BackboneElement {
  use?: ('condition'|'requirement') | undefined;
  _use?: Element | undefined;
  code?: ('Patient'|'Encounter'|'RelatedPerson'|'Practitioner'|'Device') | undefined;
  _code?: Element | undefined;
  rule?: ('identical'|'matching'|'different'|'custom') | undefined;
  _rule?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface GraphDefinitionLinkTarget extends BackboneElement {
  type?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _type?: Element | undefined;
  params?: string | undefined;
  _params?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
  compartment?: GraphDefinitionLinkTargetCompartment[] | undefined;
  link?: GraphDefinitionLink[] | undefined;
}

export interface GraphDefinitionLink extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  sliceName?: string | undefined;
  _sliceName?: Element | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  target?: GraphDefinitionLinkTarget[] | undefined;
}

export interface Medication extends DomainResource {
  readonly resourceType: 'Medication';
  identifier?: Identifier[] | undefined;
  code?: CodeableConcept | undefined;
  status?: ('active'|'inactive'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  manufacturer?: Reference | undefined;
  form?: CodeableConcept | undefined;
  amount?: Ratio | undefined;
  ingredient?: MedicationIngredient[] | undefined;
  batch?: MedicationBatch | undefined;
}

export interface MedicationIngredient extends BackboneElement {
  itemCodeableConcept?: CodeableConcept | undefined;
  itemReference?: Reference | undefined;
  isActive?: boolean | undefined;
  _isActive?: Element | undefined;
  strength?: Ratio | undefined;
}

export interface MedicationBatch extends BackboneElement {
  lotNumber?: string | undefined;
  _lotNumber?: Element | undefined;
  expirationDate?: string | undefined;
  _expirationDate?: Element | undefined;
}

export interface SimpleQuantity extends Quantity {
}

export interface DiagnosticReport extends DomainResource {
  readonly resourceType: 'DiagnosticReport';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  status?: ('registered'|'partial'|'preliminary'|'final'|'amended'|'corrected'|'appended'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  code: CodeableConcept;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  effectiveDateTime?: string | undefined;
  _effectiveDateTime?: Element | undefined;
  effectivePeriod?: Period | undefined;
  issued?: string | undefined;
  _issued?: Element | undefined;
  performer?: Reference[] | undefined;
  resultsInterpreter?: Reference[] | undefined;
  specimen?: Reference[] | undefined;
  result?: Reference[] | undefined;
  imagingStudy?: Reference[] | undefined;
  media?: DiagnosticReportMedia[] | undefined;
  conclusion?: string | undefined;
  _conclusion?: Element | undefined;
  conclusionCode?: CodeableConcept[] | undefined;
  presentedForm?: Attachment[] | undefined;
}

export interface DiagnosticReportMedia extends BackboneElement {
  comment?: string | undefined;
  _comment?: Element | undefined;
  link: Reference;
}

export interface AppointmentResponse extends DomainResource {
  readonly resourceType: 'AppointmentResponse';
  identifier?: Identifier[] | undefined;
  appointment: Reference;
  start?: string | undefined;
  _start?: Element | undefined;
  end?: string | undefined;
  _end?: Element | undefined;
  participantType?: CodeableConcept[] | undefined;
  actor?: Reference | undefined;
  participantStatus?: ('accepted'|'declined'|'tentative'|'needs-action') | undefined;
  _participantStatus?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface RequestGroup extends DomainResource {
  readonly resourceType: 'RequestGroup';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  replaces?: Reference[] | undefined;
  groupIdentifier?: Identifier | undefined;
  status?: ('draft'|'active'|'on-hold'|'revoked'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  intent?: ('proposal'|'plan'|'directive'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  code?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  author?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  action?: RequestGroupAction[] | undefined;
}

export interface RequestGroupActionCondition extends BackboneElement {
  kind?: ('applicability'|'start'|'stop') | undefined;
  _kind?: Element | undefined;
  expression?: Expression | undefined;
}

export interface RequestGroupActionRelatedAction extends BackboneElement {
  actionId?: string | undefined;
  _actionId?: Element | undefined;
  relationship?: ('before-start'|'before'|'before-end'|'concurrent-with-start'|'concurrent'|'concurrent-with-end'|'after-start'|'after'|'after-end') | undefined;
  _relationship?: Element | undefined;
  offsetDuration?: Duration | undefined;
  offsetRange?: Range | undefined;
}

export interface RequestGroupAction extends BackboneElement {
  prefix?: string | undefined;
  _prefix?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  textEquivalent?: string | undefined;
  _textEquivalent?: Element | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  code?: CodeableConcept[] | undefined;
  documentation?: RelatedArtifact[] | undefined;
  condition?: RequestGroupActionCondition[] | undefined;
  relatedAction?: RequestGroupActionRelatedAction[] | undefined;
  timingDateTime?: string | undefined;
  _timingDateTime?: Element | undefined;
  timingAge?: Age | undefined;
  timingPeriod?: Period | undefined;
  timingDuration?: Duration | undefined;
  timingRange?: Range | undefined;
  timingTiming?: Timing | undefined;
  participant?: Reference[] | undefined;
  type?: CodeableConcept | undefined;
  groupingBehavior?: ('visual-group'|'logical-group'|'sentence-group') | undefined;
  _groupingBehavior?: Element | undefined;
  selectionBehavior?: ('any'|'all'|'all-or-none'|'exactly-one'|'at-most-one'|'one-or-more') | undefined;
  _selectionBehavior?: Element | undefined;
  requiredBehavior?: ('must'|'could'|'must-unless-documented') | undefined;
  _requiredBehavior?: Element | undefined;
  precheckBehavior?: ('yes'|'no') | undefined;
  _precheckBehavior?: Element | undefined;
  cardinalityBehavior?: ('single'|'multiple') | undefined;
  _cardinalityBehavior?: Element | undefined;
  resource?: Reference | undefined;
  action?: RequestGroupAction[] | undefined;
}

export interface MessageHeader extends DomainResource {
  readonly resourceType: 'MessageHeader';
  eventCoding?: Coding | undefined;
  eventUri?: string | undefined;
  _eventUri?: Element | undefined;
  destination?: MessageHeaderDestination[] | undefined;
  sender?: Reference | undefined;
  enterer?: Reference | undefined;
  author?: Reference | undefined;
  source: MessageHeaderSource;
  responsible?: Reference | undefined;
  reason?: CodeableConcept | undefined;
  response?: MessageHeaderResponse | undefined;
  focus?: Reference[] | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
}

export interface MessageHeaderDestination extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  target?: Reference | undefined;
  endpoint?: string | undefined;
  _endpoint?: Element | undefined;
  receiver?: Reference | undefined;
}

export interface MessageHeaderSource extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  software?: string | undefined;
  _software?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  contact?: ContactPoint | undefined;
  endpoint?: string | undefined;
  _endpoint?: Element | undefined;
}

export interface MessageHeaderResponse extends BackboneElement {
  identifier?: string | undefined;
  _identifier?: Element | undefined;
  code?: ('ok'|'transient-error'|'fatal-error') | undefined;
  _code?: Element | undefined;
  details?: Reference | undefined;
}

export interface DeviceDefinition extends DomainResource {
  readonly resourceType: 'DeviceDefinition';
  identifier?: Identifier[] | undefined;
  udiDeviceIdentifier?: DeviceDefinitionUdiDeviceIdentifier[] | undefined;
  manufacturerString?: string | undefined;
  _manufacturerString?: Element | undefined;
  manufacturerReference?: Reference | undefined;
  deviceName?: DeviceDefinitionDeviceName[] | undefined;
  modelNumber?: string | undefined;
  _modelNumber?: Element | undefined;
  type?: CodeableConcept | undefined;
  specialization?: DeviceDefinitionSpecialization[] | undefined;
  version?: (string | null)[] | undefined;
  _version?: (Element | null)[] | undefined;
  safety?: CodeableConcept[] | undefined;
  shelfLifeStorage?: ProductShelfLife[] | undefined;
  physicalCharacteristics?: ProdCharacteristic | undefined;
  languageCode?: CodeableConcept[] | undefined;
  capability?: DeviceDefinitionCapability[] | undefined;
  property?: DeviceDefinitionProperty[] | undefined;
  owner?: Reference | undefined;
  contact?: ContactPoint[] | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  onlineInformation?: string | undefined;
  _onlineInformation?: Element | undefined;
  note?: Annotation[] | undefined;
  quantity?: Quantity | undefined;
  parentDevice?: Reference | undefined;
  material?: DeviceDefinitionMaterial[] | undefined;
}

export interface DeviceDefinitionUdiDeviceIdentifier extends BackboneElement {
  deviceIdentifier?: string | undefined;
  _deviceIdentifier?: Element | undefined;
  issuer?: string | undefined;
  _issuer?: Element | undefined;
  jurisdiction?: string | undefined;
  _jurisdiction?: Element | undefined;
}

export interface DeviceDefinitionDeviceName extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  type?: ('udi-label-name'|'user-friendly-name'|'patient-reported-name'|'manufacturer-name'|'model-name'|'other') | undefined;
  _type?: Element | undefined;
}

export interface DeviceDefinitionSpecialization extends BackboneElement {
  systemType?: string | undefined;
  _systemType?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
}

export interface DeviceDefinitionCapability extends BackboneElement {
  type: CodeableConcept;
  description?: CodeableConcept[] | undefined;
}

export interface DeviceDefinitionProperty extends BackboneElement {
  type: CodeableConcept;
  valueQuantity?: Quantity[] | undefined;
  valueCode?: CodeableConcept[] | undefined;
}

export interface DeviceDefinitionMaterial extends BackboneElement {
  substance: CodeableConcept;
  alternate?: boolean | undefined;
  _alternate?: Element | undefined;
  allergenicIndicator?: boolean | undefined;
  _allergenicIndicator?: Element | undefined;
}

export interface Goal extends DomainResource {
  readonly resourceType: 'Goal';
  identifier?: Identifier[] | undefined;
  lifecycleStatus?: ('proposed'|'planned'|'accepted'|'active'|'on-hold'|'completed'|'cancelled'|'entered-in-error'|'rejected') | undefined;
  _lifecycleStatus?: Element | undefined;
  achievementStatus?: CodeableConcept | undefined;
  category?: CodeableConcept[] | undefined;
  priority?: CodeableConcept | undefined;
  description: CodeableConcept;
  subject: Reference;
  startDate?: string | undefined;
  _startDate?: Element | undefined;
  startCodeableConcept?: CodeableConcept | undefined;
  target?: GoalTarget[] | undefined;
  statusDate?: string | undefined;
  _statusDate?: Element | undefined;
  statusReason?: string | undefined;
  _statusReason?: Element | undefined;
  expressedBy?: Reference | undefined;
  addresses?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  outcomeCode?: CodeableConcept[] | undefined;
  outcomeReference?: Reference[] | undefined;
}

export interface GoalTarget extends BackboneElement {
  measure?: CodeableConcept | undefined;
  detailQuantity?: Quantity | undefined;
  detailRange?: Range | undefined;
  detailCodeableConcept?: CodeableConcept | undefined;
  detailString?: string | undefined;
  _detailString?: Element | undefined;
  detailBoolean?: boolean | undefined;
  _detailBoolean?: Element | undefined;
  detailInteger?: number | undefined;
  _detailInteger?: Element | undefined;
  detailRatio?: Ratio | undefined;
  dueDate?: string | undefined;
  _dueDate?: Element | undefined;
  dueDuration?: Duration | undefined;
}

export interface ObservationDefinition extends DomainResource {
  readonly resourceType: 'ObservationDefinition';
  category?: CodeableConcept[] | undefined;
  code: CodeableConcept;
  identifier?: Identifier[] | undefined;
  permittedDataType?: (('Quantity'|'CodeableConcept'|'string'|'boolean'|'integer'|'Range'|'Ratio'|'SampledData'|'time'|'dateTime'|'Period') | null)[] | undefined;
  _permittedDataType?: (Element | null)[] | undefined;
  multipleResultsAllowed?: boolean | undefined;
  _multipleResultsAllowed?: Element | undefined;
  method?: CodeableConcept | undefined;
  preferredReportName?: string | undefined;
  _preferredReportName?: Element | undefined;
  quantitativeDetails?: ObservationDefinitionQuantitativeDetails | undefined;
  qualifiedInterval?: ObservationDefinitionQualifiedInterval[] | undefined;
  validCodedValueSet?: Reference | undefined;
  normalCodedValueSet?: Reference | undefined;
  abnormalCodedValueSet?: Reference | undefined;
  criticalCodedValueSet?: Reference | undefined;
}

export interface ObservationDefinitionQuantitativeDetails extends BackboneElement {
  customaryUnit?: CodeableConcept | undefined;
  unit?: CodeableConcept | undefined;
  conversionFactor?: number | undefined;
  _conversionFactor?: Element | undefined;
  decimalPrecision?: number | undefined;
  _decimalPrecision?: Element | undefined;
}

export interface ObservationDefinitionQualifiedInterval extends BackboneElement {
  category?: ('reference'|'critical'|'absolute') | undefined;
  _category?: Element | undefined;
  range?: Range | undefined;
  context?: CodeableConcept | undefined;
  appliesTo?: CodeableConcept[] | undefined;
  gender?: ('male'|'female'|'other'|'unknown') | undefined;
  _gender?: Element | undefined;
  age?: Range | undefined;
  gestationalAge?: Range | undefined;
  condition?: string | undefined;
  _condition?: Element | undefined;
}

export interface Timing extends BackboneElement {
  event?: (string | null)[] | undefined;
  _event?: (Element | null)[] | undefined;
  repeat?: TimingRepeat | undefined;
  code?: CodeableConcept | undefined;
}

export interface TimingRepeat extends BackboneElement {
  boundsDuration?: Duration | undefined;
  boundsRange?: Range | undefined;
  boundsPeriod?: Period | undefined;
  count?: number | undefined;
  _count?: Element | undefined;
  countMax?: number | undefined;
  _countMax?: Element | undefined;
  duration?: number | undefined;
  _duration?: Element | undefined;
  durationMax?: number | undefined;
  _durationMax?: Element | undefined;
  durationUnit?: ('s'|'min'|'h'|'d'|'wk'|'mo'|'a') | undefined;
  _durationUnit?: Element | undefined;
  frequency?: number | undefined;
  _frequency?: Element | undefined;
  frequencyMax?: number | undefined;
  _frequencyMax?: Element | undefined;
  period?: number | undefined;
  _period?: Element | undefined;
  periodMax?: number | undefined;
  _periodMax?: Element | undefined;
  periodUnit?: ('s'|'min'|'h'|'d'|'wk'|'mo'|'a') | undefined;
  _periodUnit?: Element | undefined;
  dayOfWeek?: (('mon'|'tue'|'wed'|'thu'|'fri'|'sat'|'sun') | null)[] | undefined;
  _dayOfWeek?: (Element | null)[] | undefined;
  timeOfDay?: (string | null)[] | undefined;
  _timeOfDay?: (Element | null)[] | undefined;
  when?: (('MORN'|'MORN.early'|'MORN.late'|'NOON'|'AFT'|'AFT.early'|'AFT.late'|'EVE'|'EVE.early'|'EVE.late'|'NIGHT'|'PHS'|'HS'|'WAKE'|'C'|'CM'|'CD'|'CV'|'AC'|'ACM'|'ACD'|'ACV'|'PC'|'PCM'|'PCD'|'PCV') | null)[] | undefined;
  _when?: (Element | null)[] | undefined;
  offset?: number | undefined;
  _offset?: Element | undefined;
}

export interface Immunization extends DomainResource {
  readonly resourceType: 'Immunization';
  identifier?: Identifier[] | undefined;
  status?: ('completed'|'entered-in-error'|'not-done') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  vaccineCode: CodeableConcept;
  patient: Reference;
  encounter?: Reference | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrenceString?: string | undefined;
  _occurrenceString?: Element | undefined;
  recorded?: string | undefined;
  _recorded?: Element | undefined;
  primarySource?: boolean | undefined;
  _primarySource?: Element | undefined;
  reportOrigin?: CodeableConcept | undefined;
  location?: Reference | undefined;
  manufacturer?: Reference | undefined;
  lotNumber?: string | undefined;
  _lotNumber?: Element | undefined;
  expirationDate?: string | undefined;
  _expirationDate?: Element | undefined;
  site?: CodeableConcept | undefined;
  route?: CodeableConcept | undefined;
  doseQuantity?: Quantity | undefined;
  performer?: ImmunizationPerformer[] | undefined;
  note?: Annotation[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  isSubpotent?: boolean | undefined;
  _isSubpotent?: Element | undefined;
  subpotentReason?: CodeableConcept[] | undefined;
  education?: ImmunizationEducation[] | undefined;
  programEligibility?: CodeableConcept[] | undefined;
  fundingSource?: CodeableConcept | undefined;
  reaction?: ImmunizationReaction[] | undefined;
  protocolApplied?: ImmunizationProtocolApplied[] | undefined;
}

export interface ImmunizationPerformer extends BackboneElement {
  function?: CodeableConcept | undefined;
  actor: Reference;
}

export interface ImmunizationEducation extends BackboneElement {
  documentType?: string | undefined;
  _documentType?: Element | undefined;
  reference?: string | undefined;
  _reference?: Element | undefined;
  publicationDate?: string | undefined;
  _publicationDate?: Element | undefined;
  presentationDate?: string | undefined;
  _presentationDate?: Element | undefined;
}

export interface ImmunizationReaction extends BackboneElement {
  date?: string | undefined;
  _date?: Element | undefined;
  detail?: Reference | undefined;
  reported?: boolean | undefined;
  _reported?: Element | undefined;
}

export interface ImmunizationProtocolApplied extends BackboneElement {
  series?: string | undefined;
  _series?: Element | undefined;
  authority?: Reference | undefined;
  targetDisease?: CodeableConcept[] | undefined;
  doseNumberPositiveInt?: number | undefined;
  _doseNumberPositiveInt?: Element | undefined;
  doseNumberString?: string | undefined;
  _doseNumberString?: Element | undefined;
  seriesDosesPositiveInt?: number | undefined;
  _seriesDosesPositiveInt?: Element | undefined;
  seriesDosesString?: string | undefined;
  _seriesDosesString?: Element | undefined;
}

export interface ValueSet extends DomainResource {
  readonly resourceType: 'ValueSet';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  immutable?: boolean | undefined;
  _immutable?: Element | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  compose?: ValueSetCompose | undefined;
  expansion?: ValueSetExpansion | undefined;
}

export interface ValueSetComposeIncludeConceptDesignation extends BackboneElement {
  language?: string | undefined;
  _language?: Element | undefined;
  use?: Coding | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface ValueSetComposeIncludeConcept extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  designation?: ValueSetComposeIncludeConceptDesignation[] | undefined;
}

export interface ValueSetComposeIncludeFilter extends BackboneElement {
  property?: string | undefined;
  _property?: Element | undefined;
  op?: ('='|'is-a'|'descendent-of'|'is-not-a'|'regex'|'in'|'not-in'|'generalizes'|'exists') | undefined;
  _op?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface ValueSetComposeInclude extends BackboneElement {
  system?: string | undefined;
  _system?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  concept?: ValueSetComposeIncludeConcept[] | undefined;
  filter?: ValueSetComposeIncludeFilter[] | undefined;
  valueSet?: (string | null)[] | undefined;
  _valueSet?: (Element | null)[] | undefined;
}

export interface ValueSetCompose extends BackboneElement {
  lockedDate?: string | undefined;
  _lockedDate?: Element | undefined;
  inactive?: boolean | undefined;
  _inactive?: Element | undefined;
  include: ValueSetComposeInclude[];
  exclude?: ValueSetComposeInclude[] | undefined;
}

export interface ValueSetExpansionParameter extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
}

export interface ValueSetExpansionContains extends BackboneElement {
  system?: string | undefined;
  _system?: Element | undefined;
  abstract?: boolean | undefined;
  _abstract?: Element | undefined;
  inactive?: boolean | undefined;
  _inactive?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  designation?: ValueSetComposeIncludeConceptDesignation[] | undefined;
  contains?: ValueSetExpansionContains[] | undefined;
}

export interface ValueSetExpansion extends BackboneElement {
  identifier?: string | undefined;
  _identifier?: Element | undefined;
  timestamp?: string | undefined;
  _timestamp?: Element | undefined;
  total?: number | undefined;
  _total?: Element | undefined;
  offset?: number | undefined;
  _offset?: Element | undefined;
  parameter?: ValueSetExpansionParameter[] | undefined;
  contains?: ValueSetExpansionContains[] | undefined;
}

export interface ClaimResponse extends DomainResource {
  readonly resourceType: 'ClaimResponse';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type: CodeableConcept;
  subType?: CodeableConcept | undefined;
  use?: ('claim'|'preauthorization'|'predetermination') | undefined;
  _use?: Element | undefined;
  patient: Reference;
  created?: string | undefined;
  _created?: Element | undefined;
  insurer: Reference;
  requestor?: Reference | undefined;
  request?: Reference | undefined;
  outcome?: ('queued'|'complete'|'error'|'partial') | undefined;
  _outcome?: Element | undefined;
  disposition?: string | undefined;
  _disposition?: Element | undefined;
  preAuthRef?: string | undefined;
  _preAuthRef?: Element | undefined;
  preAuthPeriod?: Period | undefined;
  payeeType?: CodeableConcept | undefined;
  item?: ClaimResponseItem[] | undefined;
  addItem?: ClaimResponseAddItem[] | undefined;
  adjudication?: ClaimResponseItemAdjudication[] | undefined;
  total?: ClaimResponseTotal[] | undefined;
  payment?: ClaimResponsePayment | undefined;
  fundsReserve?: CodeableConcept | undefined;
  formCode?: CodeableConcept | undefined;
  form?: Attachment | undefined;
  processNote?: ClaimResponseProcessNote[] | undefined;
  communicationRequest?: Reference[] | undefined;
  insurance?: ClaimResponseInsurance[] | undefined;
  error?: ClaimResponseError[] | undefined;
}

export interface ClaimResponseItemAdjudication extends BackboneElement {
  category: CodeableConcept;
  reason?: CodeableConcept | undefined;
  amount?: Money | undefined;
  value?: number | undefined;
  _value?: Element | undefined;
}

export interface ClaimResponseItemDetailSubDetail extends BackboneElement {
  subDetailSequence?: number | undefined;
  _subDetailSequence?: Element | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication?: ClaimResponseItemAdjudication[] | undefined;
}

export interface ClaimResponseItemDetail extends BackboneElement {
  detailSequence?: number | undefined;
  _detailSequence?: Element | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication: ClaimResponseItemAdjudication[];
  subDetail?: ClaimResponseItemDetailSubDetail[] | undefined;
}

export interface ClaimResponseItem extends BackboneElement {
  itemSequence?: number | undefined;
  _itemSequence?: Element | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication: ClaimResponseItemAdjudication[];
  detail?: ClaimResponseItemDetail[] | undefined;
}

export interface ClaimResponseAddItemDetailSubDetail extends BackboneElement {
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication: ClaimResponseItemAdjudication[];
}

export interface ClaimResponseAddItemDetail extends BackboneElement {
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication: ClaimResponseItemAdjudication[];
  subDetail?: ClaimResponseAddItemDetailSubDetail[] | undefined;
}

export interface ClaimResponseAddItem extends BackboneElement {
  itemSequence?: (number | null)[] | undefined;
  _itemSequence?: (Element | null)[] | undefined;
  detailSequence?: (number | null)[] | undefined;
  _detailSequence?: (Element | null)[] | undefined;
  subdetailSequence?: (number | null)[] | undefined;
  _subdetailSequence?: (Element | null)[] | undefined;
  provider?: Reference[] | undefined;
  productOrService: CodeableConcept;
  modifier?: CodeableConcept[] | undefined;
  programCode?: CodeableConcept[] | undefined;
  servicedDate?: string | undefined;
  _servicedDate?: Element | undefined;
  servicedPeriod?: Period | undefined;
  locationCodeableConcept?: CodeableConcept | undefined;
  locationAddress?: Address | undefined;
  locationReference?: Reference | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  net?: Money | undefined;
  bodySite?: CodeableConcept | undefined;
  subSite?: CodeableConcept[] | undefined;
  noteNumber?: (number | null)[] | undefined;
  _noteNumber?: (Element | null)[] | undefined;
  adjudication: ClaimResponseItemAdjudication[];
  detail?: ClaimResponseAddItemDetail[] | undefined;
}

export interface ClaimResponseTotal extends BackboneElement {
  category: CodeableConcept;
  amount: Money;
}

export interface ClaimResponsePayment extends BackboneElement {
  type: CodeableConcept;
  adjustment?: Money | undefined;
  adjustmentReason?: CodeableConcept | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  amount: Money;
  identifier?: Identifier | undefined;
}

export interface ClaimResponseProcessNote extends BackboneElement {
  number?: number | undefined;
  _number?: Element | undefined;
  type?: ('display'|'print'|'printoper') | undefined;
  _type?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  language?: CodeableConcept | undefined;
}

export interface ClaimResponseInsurance extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  focal?: boolean | undefined;
  _focal?: Element | undefined;
  coverage: Reference;
  businessArrangement?: string | undefined;
  _businessArrangement?: Element | undefined;
  claimResponse?: Reference | undefined;
}

export interface ClaimResponseError extends BackboneElement {
  itemSequence?: number | undefined;
  _itemSequence?: Element | undefined;
  detailSequence?: number | undefined;
  _detailSequence?: Element | undefined;
  subDetailSequence?: number | undefined;
  _subDetailSequence?: Element | undefined;
  code: CodeableConcept;
}

export interface Contract extends DomainResource {
  readonly resourceType: 'Contract';
  identifier?: Identifier[] | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  status?: ('amended'|'appended'|'cancelled'|'disputed'|'entered-in-error'|'executable'|'executed'|'negotiable'|'offered'|'policy'|'rejected'|'renewed'|'revoked'|'resolved'|'terminated') | undefined;
  _status?: Element | undefined;
  legalState?: CodeableConcept | undefined;
  instantiatesCanonical?: Reference | undefined;
  instantiatesUri?: string | undefined;
  _instantiatesUri?: Element | undefined;
  contentDerivative?: CodeableConcept | undefined;
  issued?: string | undefined;
  _issued?: Element | undefined;
  applies?: Period | undefined;
  expirationType?: CodeableConcept | undefined;
  subject?: Reference[] | undefined;
  authority?: Reference[] | undefined;
  domain?: Reference[] | undefined;
  site?: Reference[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  alias?: (string | null)[] | undefined;
  _alias?: (Element | null)[] | undefined;
  author?: Reference | undefined;
  scope?: CodeableConcept | undefined;
  topicCodeableConcept?: CodeableConcept | undefined;
  topicReference?: Reference | undefined;
  type?: CodeableConcept | undefined;
  subType?: CodeableConcept[] | undefined;
  contentDefinition?: ContractContentDefinition | undefined;
  term?: ContractTerm[] | undefined;
  supportingInfo?: Reference[] | undefined;
  relevantHistory?: Reference[] | undefined;
  signer?: ContractSigner[] | undefined;
  friendly?: ContractFriendly[] | undefined;
  legal?: ContractLegal[] | undefined;
  rule?: ContractRule[] | undefined;
  legallyBindingAttachment?: Attachment | undefined;
  legallyBindingReference?: Reference | undefined;
}

export interface ContractContentDefinition extends BackboneElement {
  type: CodeableConcept;
  subType?: CodeableConcept | undefined;
  publisher?: Reference | undefined;
  publicationDate?: string | undefined;
  _publicationDate?: Element | undefined;
  publicationStatus?: ('amended'|'appended'|'cancelled'|'disputed'|'entered-in-error'|'executable'|'executed'|'negotiable'|'offered'|'policy'|'rejected'|'renewed'|'revoked'|'resolved'|'terminated') | undefined;
  _publicationStatus?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
}

export interface ContractTermSecurityLabel extends BackboneElement {
  number?: (number | null)[] | undefined;
  _number?: (Element | null)[] | undefined;
  classification: Coding;
  category?: Coding[] | undefined;
  control?: Coding[] | undefined;
}

export interface ContractTermOfferParty extends BackboneElement {
  reference: Reference[];
  role: CodeableConcept;
}

export interface ContractTermOfferAnswer extends BackboneElement {
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueAttachment?: Attachment | undefined;
  valueCoding?: Coding | undefined;
  valueQuantity?: Quantity | undefined;
  valueReference?: Reference | undefined;
}

export interface ContractTermOffer extends BackboneElement {
  identifier?: Identifier[] | undefined;
  party?: ContractTermOfferParty[] | undefined;
  topic?: Reference | undefined;
  type?: CodeableConcept | undefined;
  decision?: CodeableConcept | undefined;
  decisionMode?: CodeableConcept[] | undefined;
  answer?: ContractTermOfferAnswer[] | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  linkId?: (string | null)[] | undefined;
  _linkId?: (Element | null)[] | undefined;
  securityLabelNumber?: (number | null)[] | undefined;
  _securityLabelNumber?: (Element | null)[] | undefined;
}

export interface ContractTermAssetContext extends BackboneElement {
  reference?: Reference | undefined;
  code?: CodeableConcept[] | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
}

export interface ContractTermAssetValuedItem extends BackboneElement {
  entityCodeableConcept?: CodeableConcept | undefined;
  entityReference?: Reference | undefined;
  identifier?: Identifier | undefined;
  effectiveTime?: string | undefined;
  _effectiveTime?: Element | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  points?: number | undefined;
  _points?: Element | undefined;
  net?: Money | undefined;
  payment?: string | undefined;
  _payment?: Element | undefined;
  paymentDate?: string | undefined;
  _paymentDate?: Element | undefined;
  responsible?: Reference | undefined;
  recipient?: Reference | undefined;
  linkId?: (string | null)[] | undefined;
  _linkId?: (Element | null)[] | undefined;
  securityLabelNumber?: (number | null)[] | undefined;
  _securityLabelNumber?: (Element | null)[] | undefined;
}

export interface ContractTermAsset extends BackboneElement {
  scope?: CodeableConcept | undefined;
  type?: CodeableConcept[] | undefined;
  typeReference?: Reference[] | undefined;
  subtype?: CodeableConcept[] | undefined;
  relationship?: Coding | undefined;
  context?: ContractTermAssetContext[] | undefined;
  condition?: string | undefined;
  _condition?: Element | undefined;
  periodType?: CodeableConcept[] | undefined;
  period?: Period[] | undefined;
  usePeriod?: Period[] | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  linkId?: (string | null)[] | undefined;
  _linkId?: (Element | null)[] | undefined;
  answer?: ContractTermOfferAnswer[] | undefined;
  securityLabelNumber?: (number | null)[] | undefined;
  _securityLabelNumber?: (Element | null)[] | undefined;
  valuedItem?: ContractTermAssetValuedItem[] | undefined;
}

export interface ContractTermActionSubject extends BackboneElement {
  reference: Reference[];
  role?: CodeableConcept | undefined;
}

export interface ContractTermAction extends BackboneElement {
  doNotPerform?: boolean | undefined;
  _doNotPerform?: Element | undefined;
  type: CodeableConcept;
  subject?: ContractTermActionSubject[] | undefined;
  intent: CodeableConcept;
  linkId?: (string | null)[] | undefined;
  _linkId?: (Element | null)[] | undefined;
  status: CodeableConcept;
  context?: Reference | undefined;
  contextLinkId?: (string | null)[] | undefined;
  _contextLinkId?: (Element | null)[] | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  occurrenceTiming?: Timing | undefined;
  requester?: Reference[] | undefined;
  requesterLinkId?: (string | null)[] | undefined;
  _requesterLinkId?: (Element | null)[] | undefined;
  performerType?: CodeableConcept[] | undefined;
  performerRole?: CodeableConcept | undefined;
  performer?: Reference | undefined;
  performerLinkId?: (string | null)[] | undefined;
  _performerLinkId?: (Element | null)[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  reason?: (string | null)[] | undefined;
  _reason?: (Element | null)[] | undefined;
  reasonLinkId?: (string | null)[] | undefined;
  _reasonLinkId?: (Element | null)[] | undefined;
  note?: Annotation[] | undefined;
  securityLabelNumber?: (number | null)[] | undefined;
  _securityLabelNumber?: (Element | null)[] | undefined;
}

export interface ContractTerm extends BackboneElement {
  identifier?: Identifier | undefined;
  issued?: string | undefined;
  _issued?: Element | undefined;
  applies?: Period | undefined;
  topicCodeableConcept?: CodeableConcept | undefined;
  topicReference?: Reference | undefined;
  type?: CodeableConcept | undefined;
  subType?: CodeableConcept | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  securityLabel?: ContractTermSecurityLabel[] | undefined;
  offer: ContractTermOffer;
  asset?: ContractTermAsset[] | undefined;
  action?: ContractTermAction[] | undefined;
  group?: ContractTerm[] | undefined;
}

export interface ContractSigner extends BackboneElement {
  type: Coding;
  party: Reference;
  signature: Signature[];
}

export interface ContractFriendly extends BackboneElement {
  contentAttachment?: Attachment | undefined;
  contentReference?: Reference | undefined;
}

export interface ContractLegal extends BackboneElement {
  contentAttachment?: Attachment | undefined;
  contentReference?: Reference | undefined;
}

export interface ContractRule extends BackboneElement {
  contentAttachment?: Attachment | undefined;
  contentReference?: Reference | undefined;
}

export interface Element {
  id?: string | undefined;
  _id?: Element | undefined;
  extension?: Extension[] | undefined;
}

export interface BiologicallyDerivedProduct extends DomainResource {
  readonly resourceType: 'BiologicallyDerivedProduct';
  identifier?: Identifier[] | undefined;
  productCategory?: ('organ'|'tissue'|'fluid'|'cells'|'biologicalAgent') | undefined;
  _productCategory?: Element | undefined;
  productCode?: CodeableConcept | undefined;
  status?: ('available'|'unavailable') | undefined;
  _status?: Element | undefined;
  request?: Reference[] | undefined;
  quantity?: number | undefined;
  _quantity?: Element | undefined;
  parent?: Reference[] | undefined;
  collection?: BiologicallyDerivedProductCollection | undefined;
  processing?: BiologicallyDerivedProductProcessing[] | undefined;
  manipulation?: BiologicallyDerivedProductManipulation | undefined;
  storage?: BiologicallyDerivedProductStorage[] | undefined;
}

export interface BiologicallyDerivedProductCollection extends BackboneElement {
  collector?: Reference | undefined;
  source?: Reference | undefined;
  collectedDateTime?: string | undefined;
  _collectedDateTime?: Element | undefined;
  collectedPeriod?: Period | undefined;
}

export interface BiologicallyDerivedProductProcessing extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  procedure?: CodeableConcept | undefined;
  additive?: Reference | undefined;
  timeDateTime?: string | undefined;
  _timeDateTime?: Element | undefined;
  timePeriod?: Period | undefined;
}

export interface BiologicallyDerivedProductManipulation extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  timeDateTime?: string | undefined;
  _timeDateTime?: Element | undefined;
  timePeriod?: Period | undefined;
}

export interface BiologicallyDerivedProductStorage extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  temperature?: number | undefined;
  _temperature?: Element | undefined;
  scale?: ('farenheit'|'celsius'|'kelvin') | undefined;
  _scale?: Element | undefined;
  duration?: Period | undefined;
}

export interface Period extends Element {
  start?: string | undefined;
  _start?: Element | undefined;
  end?: string | undefined;
  _end?: Element | undefined;
}

export interface Extension extends Element {
  url?: string | undefined;
  _url?: Element | undefined;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueCanonical?: string | undefined;
  _valueCanonical?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueId?: string | undefined;
  _valueId?: Element | undefined;
  valueInstant?: string | undefined;
  _valueInstant?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueMarkdown?: string | undefined;
  _valueMarkdown?: Element | undefined;
  valueOid?: string | undefined;
  _valueOid?: Element | undefined;
  valuePositiveInt?: number | undefined;
  _valuePositiveInt?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueUnsignedInt?: number | undefined;
  _valueUnsignedInt?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueUrl?: string | undefined;
  _valueUrl?: Element | undefined;
  valueUuid?: string | undefined;
  _valueUuid?: Element | undefined;
  valueAddress?: Address | undefined;
  valueAge?: Age | undefined;
  valueAnnotation?: Annotation | undefined;
  valueAttachment?: Attachment | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueCoding?: Coding | undefined;
  valueContactPoint?: ContactPoint | undefined;
  valueCount?: Count | undefined;
  valueDistance?: Distance | undefined;
  valueDuration?: Duration | undefined;
  valueHumanName?: HumanName | undefined;
  valueIdentifier?: Identifier | undefined;
  valueMoney?: Money | undefined;
  valuePeriod?: Period | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueReference?: Reference | undefined;
  valueSampledData?: SampledData | undefined;
  valueSignature?: Signature | undefined;
  valueTiming?: Timing | undefined;
  valueContactDetail?: ContactDetail | undefined;
  valueContributor?: Contributor | undefined;
  valueDataRequirement?: DataRequirement | undefined;
  valueExpression?: Expression | undefined;
  valueParameterDefinition?: ParameterDefinition | undefined;
  valueRelatedArtifact?: RelatedArtifact | undefined;
  valueTriggerDefinition?: TriggerDefinition | undefined;
  valueUsageContext?: UsageContext | undefined;
  valueDosage?: Dosage | undefined;
  valueMeta?: Meta | undefined;
}

export interface TerminologyCapabilities extends DomainResource {
  readonly resourceType: 'TerminologyCapabilities';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  kind?: ('instance'|'capability'|'requirements') | undefined;
  _kind?: Element | undefined;
  software?: TerminologyCapabilitiesSoftware | undefined;
  implementation?: TerminologyCapabilitiesImplementation | undefined;
  lockedDate?: boolean | undefined;
  _lockedDate?: Element | undefined;
  codeSystem?: TerminologyCapabilitiesCodeSystem[] | undefined;
  expansion?: TerminologyCapabilitiesExpansion | undefined;
  codeSearch?: ('explicit'|'all') | undefined;
  _codeSearch?: Element | undefined;
  validateCode?: TerminologyCapabilitiesValidateCode | undefined;
  translation?: TerminologyCapabilitiesTranslation | undefined;
  closure?: TerminologyCapabilitiesClosure | undefined;
}

export interface TerminologyCapabilitiesSoftware extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
}

export interface TerminologyCapabilitiesImplementation extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
}

export interface TerminologyCapabilitiesCodeSystemVersionFilter extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  op: (string | null)[];
  _op?: (Element | null)[] | undefined;
}

export interface TerminologyCapabilitiesCodeSystemVersion extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  isDefault?: boolean | undefined;
  _isDefault?: Element | undefined;
  compositional?: boolean | undefined;
  _compositional?: Element | undefined;
  language?: (string | null)[] | undefined;
  _language?: (Element | null)[] | undefined;
  filter?: TerminologyCapabilitiesCodeSystemVersionFilter[] | undefined;
  property?: (string | null)[] | undefined;
  _property?: (Element | null)[] | undefined;
}

export interface TerminologyCapabilitiesCodeSystem extends BackboneElement {
  uri?: string | undefined;
  _uri?: Element | undefined;
  version?: TerminologyCapabilitiesCodeSystemVersion[] | undefined;
  subsumption?: boolean | undefined;
  _subsumption?: Element | undefined;
}

export interface TerminologyCapabilitiesExpansionParameter extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface TerminologyCapabilitiesExpansion extends BackboneElement {
  hierarchical?: boolean | undefined;
  _hierarchical?: Element | undefined;
  paging?: boolean | undefined;
  _paging?: Element | undefined;
  incomplete?: boolean | undefined;
  _incomplete?: Element | undefined;
  parameter?: TerminologyCapabilitiesExpansionParameter[] | undefined;
  textFilter?: string | undefined;
  _textFilter?: Element | undefined;
}

export interface TerminologyCapabilitiesValidateCode extends BackboneElement {
  translations?: boolean | undefined;
  _translations?: Element | undefined;
}

export interface TerminologyCapabilitiesTranslation extends BackboneElement {
  needsMap?: boolean | undefined;
  _needsMap?: Element | undefined;
}

export interface TerminologyCapabilitiesClosure extends BackboneElement {
  translation?: boolean | undefined;
  _translation?: Element | undefined;
}

export interface SpecimenDefinition extends DomainResource {
  readonly resourceType: 'SpecimenDefinition';
  identifier?: Identifier | undefined;
  typeCollected?: CodeableConcept | undefined;
  patientPreparation?: CodeableConcept[] | undefined;
  timeAspect?: string | undefined;
  _timeAspect?: Element | undefined;
  collection?: CodeableConcept[] | undefined;
  typeTested?: SpecimenDefinitionTypeTested[] | undefined;
}

export interface SpecimenDefinitionTypeTestedContainerAdditive extends BackboneElement {
  additiveCodeableConcept?: CodeableConcept | undefined;
  additiveReference?: Reference | undefined;
}

export interface SpecimenDefinitionTypeTestedContainer extends BackboneElement {
  material?: CodeableConcept | undefined;
  type?: CodeableConcept | undefined;
  cap?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  capacity?: Quantity | undefined;
  minimumVolumeQuantity?: Quantity | undefined;
  minimumVolumeString?: string | undefined;
  _minimumVolumeString?: Element | undefined;
  additive?: SpecimenDefinitionTypeTestedContainerAdditive[] | undefined;
  preparation?: string | undefined;
  _preparation?: Element | undefined;
}

export interface SpecimenDefinitionTypeTestedHandling extends BackboneElement {
  temperatureQualifier?: CodeableConcept | undefined;
  temperatureRange?: Range | undefined;
  maxDuration?: Duration | undefined;
  instruction?: string | undefined;
  _instruction?: Element | undefined;
}

export interface SpecimenDefinitionTypeTested extends BackboneElement {
  isDerived?: boolean | undefined;
  _isDerived?: Element | undefined;
  type?: CodeableConcept | undefined;
  preference?: ('preferred'|'alternate') | undefined;
  _preference?: Element | undefined;
  container?: SpecimenDefinitionTypeTestedContainer | undefined;
  requirement?: string | undefined;
  _requirement?: Element | undefined;
  retentionTime?: Duration | undefined;
  rejectionCriterion?: CodeableConcept[] | undefined;
  handling?: SpecimenDefinitionTypeTestedHandling[] | undefined;
}

export interface ProductShelfLife extends BackboneElement {
  identifier?: Identifier | undefined;
  type: CodeableConcept;
  period: Quantity;
  specialPrecautionsForStorage?: CodeableConcept[] | undefined;
}

export interface MedicinalProductIngredient extends DomainResource {
  readonly resourceType: 'MedicinalProductIngredient';
  identifier?: Identifier | undefined;
  role: CodeableConcept;
  allergenicIndicator?: boolean | undefined;
  _allergenicIndicator?: Element | undefined;
  manufacturer?: Reference[] | undefined;
  specifiedSubstance?: MedicinalProductIngredientSpecifiedSubstance[] | undefined;
  substance?: MedicinalProductIngredientSubstance | undefined;
}

export interface MedicinalProductIngredientSpecifiedSubstanceStrengthReferenceStrength extends BackboneElement {
  substance?: CodeableConcept | undefined;
  strength: Ratio;
  strengthLowLimit?: Ratio | undefined;
  measurementPoint?: string | undefined;
  _measurementPoint?: Element | undefined;
  country?: CodeableConcept[] | undefined;
}

export interface MedicinalProductIngredientSpecifiedSubstanceStrength extends BackboneElement {
  presentation: Ratio;
  presentationLowLimit?: Ratio | undefined;
  concentration?: Ratio | undefined;
  concentrationLowLimit?: Ratio | undefined;
  measurementPoint?: string | undefined;
  _measurementPoint?: Element | undefined;
  country?: CodeableConcept[] | undefined;
  referenceStrength?: MedicinalProductIngredientSpecifiedSubstanceStrengthReferenceStrength[] | undefined;
}

export interface MedicinalProductIngredientSpecifiedSubstance extends BackboneElement {
  code: CodeableConcept;
  group: CodeableConcept;
  confidentiality?: CodeableConcept | undefined;
  strength?: MedicinalProductIngredientSpecifiedSubstanceStrength[] | undefined;
}

export interface MedicinalProductIngredientSubstance extends BackboneElement {
  code: CodeableConcept;
  strength?: MedicinalProductIngredientSpecifiedSubstanceStrength[] | undefined;
}

export interface ConceptMap extends DomainResource {
  readonly resourceType: 'ConceptMap';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  sourceUri?: string | undefined;
  _sourceUri?: Element | undefined;
  sourceCanonical?: string | undefined;
  _sourceCanonical?: Element | undefined;
  targetUri?: string | undefined;
  _targetUri?: Element | undefined;
  targetCanonical?: string | undefined;
  _targetCanonical?: Element | undefined;
  group?: ConceptMapGroup[] | undefined;
}

export interface ConceptMapGroupElementTargetDependsOn extends BackboneElement {
  property?: string | undefined;
  _property?: Element | undefined;
  system?: string | undefined;
  _system?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
}

export interface ConceptMapGroupElementTarget extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  equivalence?: ('relatedto'|'equivalent'|'equal'|'wider'|'subsumes'|'narrower'|'specializes'|'inexact'|'unmatched'|'disjoint') | undefined;
  _equivalence?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
  dependsOn?: ConceptMapGroupElementTargetDependsOn[] | undefined;
  product?: ConceptMapGroupElementTargetDependsOn[] | undefined;
}

export interface ConceptMapGroupElement extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  target?: ConceptMapGroupElementTarget[] | undefined;
}

export interface ConceptMapGroupUnmapped extends BackboneElement {
  mode?: ('provided'|'fixed'|'other-map') | undefined;
  _mode?: Element | undefined;
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
}

export interface ConceptMapGroup extends BackboneElement {
  source?: string | undefined;
  _source?: Element | undefined;
  sourceVersion?: string | undefined;
  _sourceVersion?: Element | undefined;
  target?: string | undefined;
  _target?: Element | undefined;
  targetVersion?: string | undefined;
  _targetVersion?: Element | undefined;
  element: ConceptMapGroupElement[];
  unmapped?: ConceptMapGroupUnmapped | undefined;
}

export interface Signature extends Element {
  type: Coding[];
  when?: string | undefined;
  _when?: Element | undefined;
  who: Reference;
  onBehalfOf?: Reference | undefined;
  targetFormat?: string | undefined;
  _targetFormat?: Element | undefined;
  sigFormat?: string | undefined;
  _sigFormat?: Element | undefined;
  data?: string | undefined;
  _data?: Element | undefined;
}

export interface Duration extends Quantity {
}

export interface Invoice extends DomainResource {
  readonly resourceType: 'Invoice';
  identifier?: Identifier[] | undefined;
  status?: ('draft'|'issued'|'balanced'|'cancelled'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  cancelledReason?: string | undefined;
  _cancelledReason?: Element | undefined;
  type?: CodeableConcept | undefined;
  subject?: Reference | undefined;
  recipient?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  participant?: InvoiceParticipant[] | undefined;
  issuer?: Reference | undefined;
  account?: Reference | undefined;
  lineItem?: InvoiceLineItem[] | undefined;
  totalPriceComponent?: InvoiceLineItemPriceComponent[] | undefined;
  totalNet?: Money | undefined;
  totalGross?: Money | undefined;
  paymentTerms?: string | undefined;
  _paymentTerms?: Element | undefined;
  note?: Annotation[] | undefined;
}

export interface InvoiceParticipant extends BackboneElement {
  role?: CodeableConcept | undefined;
  actor: Reference;
}

export interface InvoiceLineItemPriceComponent extends BackboneElement {
  type?: ('base'|'surcharge'|'deduction'|'discount'|'tax'|'informational') | undefined;
  _type?: Element | undefined;
  code?: CodeableConcept | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  amount?: Money | undefined;
}

export interface InvoiceLineItem extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  chargeItemReference?: Reference | undefined;
  chargeItemCodeableConcept?: CodeableConcept | undefined;
  priceComponent?: InvoiceLineItemPriceComponent[] | undefined;
}

export interface StructureDefinition extends DomainResource {
  readonly resourceType: 'StructureDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  keyword?: Coding[] | undefined;
  fhirVersion?: ('0.01'|'0.05'|'0.06'|'0.11'|'0.0.80'|'0.0.81'|'0.0.82'|'0.4.0'|'0.5.0'|'1.0.0'|'1.0.1'|'1.0.2'|'1.1.0'|'1.4.0'|'1.6.0'|'1.8.0'|'3.0.0'|'3.0.1'|'3.3.0'|'3.5.0'|'4.0.0'|'4.0.1') | undefined;
  _fhirVersion?: Element | undefined;
  mapping?: StructureDefinitionMapping[] | undefined;
  kind?: ('primitive-type'|'complex-type'|'resource'|'logical') | undefined;
  _kind?: Element | undefined;
  abstract?: boolean | undefined;
  _abstract?: Element | undefined;
  context?: StructureDefinitionContext[] | undefined;
  contextInvariant?: (string | null)[] | undefined;
  _contextInvariant?: (Element | null)[] | undefined;
  type?: string | undefined;
  _type?: Element | undefined;
  baseDefinition?: string | undefined;
  _baseDefinition?: Element | undefined;
  derivation?: ('specialization'|'constraint') | undefined;
  _derivation?: Element | undefined;
  snapshot?: StructureDefinitionSnapshot | undefined;
  differential?: StructureDefinitionDifferential | undefined;
}

export interface StructureDefinitionMapping extends BackboneElement {
  identity?: string | undefined;
  _identity?: Element | undefined;
  uri?: string | undefined;
  _uri?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface StructureDefinitionContext extends BackboneElement {
  type?: ('fhirpath'|'element'|'extension') | undefined;
  _type?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
}

export interface StructureDefinitionSnapshot extends BackboneElement {
  element: ElementDefinition[];
}

export interface StructureDefinitionDifferential extends BackboneElement {
  element: ElementDefinition[];
}

export interface CommunicationRequest extends DomainResource {
  readonly resourceType: 'CommunicationRequest';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  replaces?: Reference[] | undefined;
  groupIdentifier?: Identifier | undefined;
  status?: ('draft'|'active'|'on-hold'|'revoked'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  category?: CodeableConcept[] | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  doNotPerform?: boolean | undefined;
  _doNotPerform?: Element | undefined;
  medium?: CodeableConcept[] | undefined;
  subject?: Reference | undefined;
  about?: Reference[] | undefined;
  encounter?: Reference | undefined;
  payload?: CommunicationRequestPayload[] | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  occurrencePeriod?: Period | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  requester?: Reference | undefined;
  recipient?: Reference[] | undefined;
  sender?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  note?: Annotation[] | undefined;
}

export interface CommunicationRequestPayload extends BackboneElement {
  contentString?: string | undefined;
  _contentString?: Element | undefined;
  contentAttachment?: Attachment | undefined;
  contentReference?: Reference | undefined;
}

export interface MedicinalProductInteraction extends DomainResource {
  readonly resourceType: 'MedicinalProductInteraction';
  subject?: Reference[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  interactant?: MedicinalProductInteractionInteractant[] | undefined;
  type?: CodeableConcept | undefined;
  effect?: CodeableConcept | undefined;
  incidence?: CodeableConcept | undefined;
  management?: CodeableConcept | undefined;
}

export interface MedicinalProductInteractionInteractant extends BackboneElement {
  itemReference?: Reference | undefined;
  itemCodeableConcept?: CodeableConcept | undefined;
}

export interface Identifier extends Element {
  use?: ('usual'|'official'|'temp'|'secondary'|'old') | undefined;
  _use?: Element | undefined;
  type?: CodeableConcept | undefined;
  system?: string | undefined;
  _system?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
  period?: Period | undefined;
  assigner?: Reference | undefined;
}

export interface PaymentNotice extends DomainResource {
  readonly resourceType: 'PaymentNotice';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  request?: Reference | undefined;
  response?: Reference | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  provider?: Reference | undefined;
  payment: Reference;
  paymentDate?: string | undefined;
  _paymentDate?: Element | undefined;
  payee?: Reference | undefined;
  recipient: Reference;
  amount: Money;
  paymentStatus?: CodeableConcept | undefined;
}

export interface GuidanceResponse extends DomainResource {
  readonly resourceType: 'GuidanceResponse';
  requestIdentifier?: Identifier | undefined;
  identifier?: Identifier[] | undefined;
  moduleUri?: string | undefined;
  _moduleUri?: Element | undefined;
  moduleCanonical?: string | undefined;
  _moduleCanonical?: Element | undefined;
  moduleCodeableConcept?: CodeableConcept | undefined;
  status?: ('success'|'data-requested'|'data-required'|'in-progress'|'failure'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  occurrenceDateTime?: string | undefined;
  _occurrenceDateTime?: Element | undefined;
  performer?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  evaluationMessage?: Reference[] | undefined;
  outputParameters?: Reference | undefined;
  result?: Reference | undefined;
  dataRequirement?: DataRequirement[] | undefined;
}

export interface RiskEvidenceSynthesis extends DomainResource {
  readonly resourceType: 'RiskEvidenceSynthesis';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  note?: Annotation[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  synthesisType?: CodeableConcept | undefined;
  studyType?: CodeableConcept | undefined;
  population: Reference;
  exposure?: Reference | undefined;
  outcome: Reference;
  sampleSize?: RiskEvidenceSynthesisSampleSize | undefined;
  riskEstimate?: RiskEvidenceSynthesisRiskEstimate | undefined;
  certainty?: RiskEvidenceSynthesisCertainty[] | undefined;
}

export interface RiskEvidenceSynthesisSampleSize extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  numberOfStudies?: number | undefined;
  _numberOfStudies?: Element | undefined;
  numberOfParticipants?: number | undefined;
  _numberOfParticipants?: Element | undefined;
}

export interface RiskEvidenceSynthesisRiskEstimatePrecisionEstimate extends BackboneElement {
  type?: CodeableConcept | undefined;
  level?: number | undefined;
  _level?: Element | undefined;
  from?: number | undefined;
  _from?: Element | undefined;
  to?: number | undefined;
  _to?: Element | undefined;
}

export interface RiskEvidenceSynthesisRiskEstimate extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  type?: CodeableConcept | undefined;
  value?: number | undefined;
  _value?: Element | undefined;
  unitOfMeasure?: CodeableConcept | undefined;
  denominatorCount?: number | undefined;
  _denominatorCount?: Element | undefined;
  numeratorCount?: number | undefined;
  _numeratorCount?: Element | undefined;
  precisionEstimate?: RiskEvidenceSynthesisRiskEstimatePrecisionEstimate[] | undefined;
}

export interface RiskEvidenceSynthesisCertaintyCertaintySubcomponent extends BackboneElement {
  type?: CodeableConcept | undefined;
  rating?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
}

export interface RiskEvidenceSynthesisCertainty extends BackboneElement {
  rating?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
  certaintySubcomponent?: RiskEvidenceSynthesisCertaintyCertaintySubcomponent[] | undefined;
}

export interface MedicinalProductPackaged extends DomainResource {
  readonly resourceType: 'MedicinalProductPackaged';
  identifier?: Identifier[] | undefined;
  subject?: Reference[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  legalStatusOfSupply?: CodeableConcept | undefined;
  marketingStatus?: MarketingStatus[] | undefined;
  marketingAuthorization?: Reference | undefined;
  manufacturer?: Reference[] | undefined;
  batchIdentifier?: MedicinalProductPackagedBatchIdentifier[] | undefined;
  packageItem: MedicinalProductPackagedPackageItem[];
}

export interface MedicinalProductPackagedBatchIdentifier extends BackboneElement {
  outerPackaging: Identifier;
  immediatePackaging?: Identifier | undefined;
}

export interface MedicinalProductPackagedPackageItem extends BackboneElement {
  identifier?: Identifier[] | undefined;
  type: CodeableConcept;
  quantity: Quantity;
  material?: CodeableConcept[] | undefined;
  alternateMaterial?: CodeableConcept[] | undefined;
  device?: Reference[] | undefined;
  manufacturedItem?: Reference[] | undefined;
  packageItem?: MedicinalProductPackagedPackageItem[] | undefined;
  physicalCharacteristics?: ProdCharacteristic | undefined;
  otherCharacteristics?: CodeableConcept[] | undefined;
  shelfLifeStorage?: ProductShelfLife[] | undefined;
  manufacturer?: Reference[] | undefined;
}

export interface DetectedIssue extends DomainResource {
  readonly resourceType: 'DetectedIssue';
  identifier?: Identifier[] | undefined;
  status?: ('registered'|'preliminary'|'final'|'amended'|'corrected'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  code?: CodeableConcept | undefined;
  severity?: ('high'|'moderate'|'low') | undefined;
  _severity?: Element | undefined;
  patient?: Reference | undefined;
  identifiedDateTime?: string | undefined;
  _identifiedDateTime?: Element | undefined;
  identifiedPeriod?: Period | undefined;
  author?: Reference | undefined;
  implicated?: Reference[] | undefined;
  evidence?: DetectedIssueEvidence[] | undefined;
  detail?: string | undefined;
  _detail?: Element | undefined;
  reference?: string | undefined;
  _reference?: Element | undefined;
  mitigation?: DetectedIssueMitigation[] | undefined;
}

export interface DetectedIssueEvidence extends BackboneElement {
  code?: CodeableConcept[] | undefined;
  detail?: Reference[] | undefined;
}

export interface DetectedIssueMitigation extends BackboneElement {
  action: CodeableConcept;
  date?: string | undefined;
  _date?: Element | undefined;
  author?: Reference | undefined;
}

export interface ResearchDefinition extends DomainResource {
  readonly resourceType: 'ResearchDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  shortTitle?: string | undefined;
  _shortTitle?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  comment?: (string | null)[] | undefined;
  _comment?: (Element | null)[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  library?: (string | null)[] | undefined;
  _library?: (Element | null)[] | undefined;
  population: Reference;
  exposure?: Reference | undefined;
  exposureAlternative?: Reference | undefined;
  outcome?: Reference | undefined;
}

export interface HumanName extends Element {
  use?: ('usual'|'official'|'temp'|'nickname'|'anonymous'|'old'|'maiden') | undefined;
  _use?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  family?: string | undefined;
  _family?: Element | undefined;
  given?: (string | null)[] | undefined;
  _given?: (Element | null)[] | undefined;
  prefix?: (string | null)[] | undefined;
  _prefix?: (Element | null)[] | undefined;
  suffix?: (string | null)[] | undefined;
  _suffix?: (Element | null)[] | undefined;
  period?: Period | undefined;
}

export interface MedicinalProductPharmaceutical extends DomainResource {
  readonly resourceType: 'MedicinalProductPharmaceutical';
  identifier?: Identifier[] | undefined;
  administrableDoseForm: CodeableConcept;
  unitOfPresentation?: CodeableConcept | undefined;
  ingredient?: Reference[] | undefined;
  device?: Reference[] | undefined;
  characteristics?: MedicinalProductPharmaceuticalCharacteristics[] | undefined;
  routeOfAdministration: MedicinalProductPharmaceuticalRouteOfAdministration[];
}

export interface MedicinalProductPharmaceuticalCharacteristics extends BackboneElement {
  code: CodeableConcept;
  status?: CodeableConcept | undefined;
}

export interface MedicinalProductPharmaceuticalRouteOfAdministrationTargetSpeciesWithdrawalPeriod extends BackboneElement {
  tissue: CodeableConcept;
  value: Quantity;
  supportingInformation?: string | undefined;
  _supportingInformation?: Element | undefined;
}

export interface MedicinalProductPharmaceuticalRouteOfAdministrationTargetSpecies extends BackboneElement {
  code: CodeableConcept;
  withdrawalPeriod?: MedicinalProductPharmaceuticalRouteOfAdministrationTargetSpeciesWithdrawalPeriod[] | undefined;
}

export interface MedicinalProductPharmaceuticalRouteOfAdministration extends BackboneElement {
  code: CodeableConcept;
  firstDose?: Quantity | undefined;
  maxSingleDose?: Quantity | undefined;
  maxDosePerDay?: Quantity | undefined;
  maxDosePerTreatmentPeriod?: Ratio | undefined;
  maxTreatmentPeriod?: Duration | undefined;
  targetSpecies?: MedicinalProductPharmaceuticalRouteOfAdministrationTargetSpecies[] | undefined;
}

export interface EvidenceVariable extends DomainResource {
  readonly resourceType: 'EvidenceVariable';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  shortTitle?: string | undefined;
  _shortTitle?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  note?: Annotation[] | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  type?: ('dichotomous'|'continuous'|'descriptive') | undefined;
  _type?: Element | undefined;
  characteristic: EvidenceVariableCharacteristic[];
}

export interface EvidenceVariableCharacteristic extends BackboneElement {
  description?: string | undefined;
  _description?: Element | undefined;
  definitionReference?: Reference | undefined;
  definitionCanonical?: string | undefined;
  _definitionCanonical?: Element | undefined;
  definitionCodeableConcept?: CodeableConcept | undefined;
  definitionExpression?: Expression | undefined;
  definitionDataRequirement?: DataRequirement | undefined;
  definitionTriggerDefinition?: TriggerDefinition | undefined;
  usageContext?: UsageContext[] | undefined;
  exclude?: boolean | undefined;
  _exclude?: Element | undefined;
  participantEffectiveDateTime?: string | undefined;
  _participantEffectiveDateTime?: Element | undefined;
  participantEffectivePeriod?: Period | undefined;
  participantEffectiveDuration?: Duration | undefined;
  participantEffectiveTiming?: Timing | undefined;
  timeFromStart?: Duration | undefined;
  groupMeasure?: ('mean'|'median'|'mean-of-mean'|'mean-of-median'|'median-of-mean'|'median-of-median') | undefined;
  _groupMeasure?: Element | undefined;
}

export interface Bundle<T extends Resource = Resource> extends Resource {
  readonly resourceType: 'Bundle';
  identifier?: Identifier | undefined;
  type?: ('document'|'message'|'transaction'|'transaction-response'|'batch'|'batch-response'|'history'|'searchset'|'collection') | undefined;
  _type?: Element | undefined;
  timestamp?: string | undefined;
  _timestamp?: Element | undefined;
  total?: number | undefined;
  _total?: Element | undefined;
  link?: BundleLink[] | undefined;
  entry?: BundleEntry<T>[] | undefined;
  signature?: Signature | undefined;
}

export interface BundleLink extends BackboneElement {
  relation?: string | undefined;
  _relation?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
}

export interface BundleEntrySearch extends BackboneElement {
  mode?: ('match'|'include'|'outcome') | undefined;
  _mode?: Element | undefined;
  score?: number | undefined;
  _score?: Element | undefined;
}

export interface BundleEntryRequest extends BackboneElement {
  method?: ('GET'|'HEAD'|'POST'|'PUT'|'DELETE'|'PATCH') | undefined;
  _method?: Element | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  ifNoneMatch?: string | undefined;
  _ifNoneMatch?: Element | undefined;
  ifModifiedSince?: string | undefined;
  _ifModifiedSince?: Element | undefined;
  ifMatch?: string | undefined;
  _ifMatch?: Element | undefined;
  ifNoneExist?: string | undefined;
  _ifNoneExist?: Element | undefined;
}

export interface BundleEntryResponse extends BackboneElement {
  status?: string | undefined;
  _status?: Element | undefined;
  location?: string | undefined;
  _location?: Element | undefined;
  etag?: string | undefined;
  _etag?: Element | undefined;
  lastModified?: string | undefined;
  _lastModified?: Element | undefined;
  outcome?: Resource | undefined;
}

export interface BundleEntry<T extends Resource = Resource> extends BackboneElement {
  link?: BundleLink[] | undefined;
  fullUrl?: string | undefined;
  _fullUrl?: Element | undefined;
  resource?: T | undefined;
  search?: BundleEntrySearch | undefined;
  request?: BundleEntryRequest | undefined;
  response?: BundleEntryResponse | undefined;
}

export interface MessageDefinition extends DomainResource {
  readonly resourceType: 'MessageDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  replaces?: (string | null)[] | undefined;
  _replaces?: (Element | null)[] | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  base?: string | undefined;
  _base?: Element | undefined;
  parent?: (string | null)[] | undefined;
  _parent?: (Element | null)[] | undefined;
  eventCoding?: Coding | undefined;
  eventUri?: string | undefined;
  _eventUri?: Element | undefined;
  category?: ('consequence'|'currency'|'notification') | undefined;
  _category?: Element | undefined;
  focus?: MessageDefinitionFocus[] | undefined;
  responseRequired?: ('always'|'on-error'|'never'|'on-success') | undefined;
  _responseRequired?: Element | undefined;
  allowedResponse?: MessageDefinitionAllowedResponse[] | undefined;
  graph?: (string | null)[] | undefined;
  _graph?: (Element | null)[] | undefined;
}

export interface MessageDefinitionFocus extends BackboneElement {
  code?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _code?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
}

export interface MessageDefinitionAllowedResponse extends BackboneElement {
  message?: string | undefined;
  _message?: Element | undefined;
  situation?: string | undefined;
  _situation?: Element | undefined;
}

export interface ImplementationGuide extends DomainResource {
  readonly resourceType: 'ImplementationGuide';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  packageId?: string | undefined;
  _packageId?: Element | undefined;
  license?: ('not-open-source'|'0BSD'|'AAL'|'Abstyles'|'Adobe-2006'|'Adobe-Glyph'|'ADSL'|'AFL-1.1'|'AFL-1.2'|'AFL-2.0'|'AFL-2.1'|'AFL-3.0'|'Afmparse'|'AGPL-1.0-only'|'AGPL-1.0-or-later'|'AGPL-3.0-only'|'AGPL-3.0-or-later'|'Aladdin'|'AMDPLPA'|'AML'|'AMPAS'|'ANTLR-PD'|'Apache-1.0'|'Apache-1.1'|'Apache-2.0'|'APAFML'|'APL-1.0'|'APSL-1.0'|'APSL-1.1'|'APSL-1.2'|'APSL-2.0'|'Artistic-1.0-cl8'|'Artistic-1.0-Perl'|'Artistic-1.0'|'Artistic-2.0'|'Bahyph'|'Barr'|'Beerware'|'BitTorrent-1.0'|'BitTorrent-1.1'|'Borceux'|'BSD-1-Clause'|'BSD-2-Clause-FreeBSD'|'BSD-2-Clause-NetBSD'|'BSD-2-Clause-Patent'|'BSD-2-Clause'|'BSD-3-Clause-Attribution'|'BSD-3-Clause-Clear'|'BSD-3-Clause-LBNL'|'BSD-3-Clause-No-Nuclear-License-2014'|'BSD-3-Clause-No-Nuclear-License'|'BSD-3-Clause-No-Nuclear-Warranty'|'BSD-3-Clause'|'BSD-4-Clause-UC'|'BSD-4-Clause'|'BSD-Protection'|'BSD-Source-Code'|'BSL-1.0'|'bzip2-1.0.5'|'bzip2-1.0.6'|'Caldera'|'CATOSL-1.1'|'CC-BY-1.0'|'CC-BY-2.0'|'CC-BY-2.5'|'CC-BY-3.0'|'CC-BY-4.0'|'CC-BY-NC-1.0'|'CC-BY-NC-2.0'|'CC-BY-NC-2.5'|'CC-BY-NC-3.0'|'CC-BY-NC-4.0'|'CC-BY-NC-ND-1.0'|'CC-BY-NC-ND-2.0'|'CC-BY-NC-ND-2.5'|'CC-BY-NC-ND-3.0'|'CC-BY-NC-ND-4.0'|'CC-BY-NC-SA-1.0'|'CC-BY-NC-SA-2.0'|'CC-BY-NC-SA-2.5'|'CC-BY-NC-SA-3.0'|'CC-BY-NC-SA-4.0'|'CC-BY-ND-1.0'|'CC-BY-ND-2.0'|'CC-BY-ND-2.5'|'CC-BY-ND-3.0'|'CC-BY-ND-4.0'|'CC-BY-SA-1.0'|'CC-BY-SA-2.0'|'CC-BY-SA-2.5'|'CC-BY-SA-3.0'|'CC-BY-SA-4.0'|'CC0-1.0'|'CDDL-1.0'|'CDDL-1.1'|'CDLA-Permissive-1.0'|'CDLA-Sharing-1.0'|'CECILL-1.0'|'CECILL-1.1'|'CECILL-2.0'|'CECILL-2.1'|'CECILL-B'|'CECILL-C'|'ClArtistic'|'CNRI-Jython'|'CNRI-Python-GPL-Compatible'|'CNRI-Python'|'Condor-1.1'|'CPAL-1.0'|'CPL-1.0'|'CPOL-1.02'|'Crossword'|'CrystalStacker'|'CUA-OPL-1.0'|'Cube'|'curl'|'D-FSL-1.0'|'diffmark'|'DOC'|'Dotseqn'|'DSDP'|'dvipdfm'|'ECL-1.0'|'ECL-2.0'|'EFL-1.0'|'EFL-2.0'|'eGenix'|'Entessa'|'EPL-1.0'|'EPL-2.0'|'ErlPL-1.1'|'EUDatagrid'|'EUPL-1.0'|'EUPL-1.1'|'EUPL-1.2'|'Eurosym'|'Fair'|'Frameworx-1.0'|'FreeImage'|'FSFAP'|'FSFUL'|'FSFULLR'|'FTL'|'GFDL-1.1-only'|'GFDL-1.1-or-later'|'GFDL-1.2-only'|'GFDL-1.2-or-later'|'GFDL-1.3-only'|'GFDL-1.3-or-later'|'Giftware'|'GL2PS'|'Glide'|'Glulxe'|'gnuplot'|'GPL-1.0-only'|'GPL-1.0-or-later'|'GPL-2.0-only'|'GPL-2.0-or-later'|'GPL-3.0-only'|'GPL-3.0-or-later'|'gSOAP-1.3b'|'HaskellReport'|'HPND'|'IBM-pibs'|'ICU'|'IJG'|'ImageMagick'|'iMatix'|'Imlib2'|'Info-ZIP'|'Intel-ACPI'|'Intel'|'Interbase-1.0'|'IPA'|'IPL-1.0'|'ISC'|'JasPer-2.0'|'JSON'|'LAL-1.2'|'LAL-1.3'|'Latex2e'|'Leptonica'|'LGPL-2.0-only'|'LGPL-2.0-or-later'|'LGPL-2.1-only'|'LGPL-2.1-or-later'|'LGPL-3.0-only'|'LGPL-3.0-or-later'|'LGPLLR'|'Libpng'|'libtiff'|'LiLiQ-P-1.1'|'LiLiQ-R-1.1'|'LiLiQ-Rplus-1.1'|'Linux-OpenIB'|'LPL-1.0'|'LPL-1.02'|'LPPL-1.0'|'LPPL-1.1'|'LPPL-1.2'|'LPPL-1.3a'|'LPPL-1.3c'|'MakeIndex'|'MirOS'|'MIT-0'|'MIT-advertising'|'MIT-CMU'|'MIT-enna'|'MIT-feh'|'MIT'|'MITNFA'|'Motosoto'|'mpich2'|'MPL-1.0'|'MPL-1.1'|'MPL-2.0-no-copyleft-exception'|'MPL-2.0'|'MS-PL'|'MS-RL'|'MTLL'|'Multics'|'Mup'|'NASA-1.3'|'Naumen'|'NBPL-1.0'|'NCSA'|'Net-SNMP'|'NetCDF'|'Newsletr'|'NGPL'|'NLOD-1.0'|'NLPL'|'Nokia'|'NOSL'|'Noweb'|'NPL-1.0'|'NPL-1.1'|'NPOSL-3.0'|'NRL'|'NTP'|'OCCT-PL'|'OCLC-2.0'|'ODbL-1.0'|'OFL-1.0'|'OFL-1.1'|'OGTSL'|'OLDAP-1.1'|'OLDAP-1.2'|'OLDAP-1.3'|'OLDAP-1.4'|'OLDAP-2.0.1'|'OLDAP-2.0'|'OLDAP-2.1'|'OLDAP-2.2.1'|'OLDAP-2.2.2'|'OLDAP-2.2'|'OLDAP-2.3'|'OLDAP-2.4'|'OLDAP-2.5'|'OLDAP-2.6'|'OLDAP-2.7'|'OLDAP-2.8'|'OML'|'OpenSSL'|'OPL-1.0'|'OSET-PL-2.1'|'OSL-1.0'|'OSL-1.1'|'OSL-2.0'|'OSL-2.1'|'OSL-3.0'|'PDDL-1.0'|'PHP-3.0'|'PHP-3.01'|'Plexus'|'PostgreSQL'|'psfrag'|'psutils'|'Python-2.0'|'Qhull'|'QPL-1.0'|'Rdisc'|'RHeCos-1.1'|'RPL-1.1'|'RPL-1.5'|'RPSL-1.0'|'RSA-MD'|'RSCPL'|'Ruby'|'SAX-PD'|'Saxpath'|'SCEA'|'Sendmail'|'SGI-B-1.0'|'SGI-B-1.1'|'SGI-B-2.0'|'SimPL-2.0'|'SISSL-1.2'|'SISSL'|'Sleepycat'|'SMLNJ'|'SMPPL'|'SNIA'|'Spencer-86'|'Spencer-94'|'Spencer-99'|'SPL-1.0'|'SugarCRM-1.1.3'|'SWL'|'TCL'|'TCP-wrappers'|'TMate'|'TORQUE-1.1'|'TOSL'|'Unicode-DFS-2015'|'Unicode-DFS-2016'|'Unicode-TOU'|'Unlicense'|'UPL-1.0'|'Vim'|'VOSTROM'|'VSL-1.0'|'W3C-19980720'|'W3C-20150513'|'W3C'|'Watcom-1.0'|'Wsuipa'|'WTFPL'|'X11'|'Xerox'|'XFree86-1.1'|'xinetd'|'Xnet'|'xpp'|'XSkat'|'YPL-1.0'|'YPL-1.1'|'Zed'|'Zend-2.0'|'Zimbra-1.3'|'Zimbra-1.4'|'zlib-acknowledgement'|'Zlib'|'ZPL-1.1'|'ZPL-2.0'|'ZPL-2.1') | undefined;
  _license?: Element | undefined;
  fhirVersion: (('0.01'|'0.05'|'0.06'|'0.11'|'0.0.80'|'0.0.81'|'0.0.82'|'0.4.0'|'0.5.0'|'1.0.0'|'1.0.1'|'1.0.2'|'1.1.0'|'1.4.0'|'1.6.0'|'1.8.0'|'3.0.0'|'3.0.1'|'3.3.0'|'3.5.0'|'4.0.0'|'4.0.1') | null)[];
  _fhirVersion?: (Element | null)[] | undefined;
  dependsOn?: ImplementationGuideDependsOn[] | undefined;
  global?: ImplementationGuideGlobal[] | undefined;
  definition?: ImplementationGuideDefinition | undefined;
  manifest?: ImplementationGuideManifest | undefined;
}

export interface ImplementationGuideDependsOn extends BackboneElement {
  uri?: string | undefined;
  _uri?: Element | undefined;
  packageId?: string | undefined;
  _packageId?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
}

export interface ImplementationGuideGlobal extends BackboneElement {
  type?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _type?: Element | undefined;
  profile?: string | undefined;
  _profile?: Element | undefined;
}

export interface ImplementationGuideDefinitionGrouping extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
}

export interface ImplementationGuideDefinitionResource extends BackboneElement {
  reference: Reference;
  fhirVersion?: (('0.01'|'0.05'|'0.06'|'0.11'|'0.0.80'|'0.0.81'|'0.0.82'|'0.4.0'|'0.5.0'|'1.0.0'|'1.0.1'|'1.0.2'|'1.1.0'|'1.4.0'|'1.6.0'|'1.8.0'|'3.0.0'|'3.0.1'|'3.3.0'|'3.5.0'|'4.0.0'|'4.0.1') | null)[] | undefined;
  _fhirVersion?: (Element | null)[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  exampleBoolean?: boolean | undefined;
  _exampleBoolean?: Element | undefined;
  exampleCanonical?: string | undefined;
  _exampleCanonical?: Element | undefined;
  groupingId?: string | undefined;
  _groupingId?: Element | undefined;
}

export interface ImplementationGuideDefinitionPage extends BackboneElement {
  nameUrl?: string | undefined;
  _nameUrl?: Element | undefined;
  nameReference?: Reference | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  generation?: ('html'|'markdown'|'xml'|'generated') | undefined;
  _generation?: Element | undefined;
  page?: ImplementationGuideDefinitionPage[] | undefined;
}

export interface ImplementationGuideDefinitionParameter extends BackboneElement {
  code?: ('apply'|'path-resource'|'path-pages'|'path-tx-cache'|'expansion-parameter'|'rule-broken-links'|'generate-xml'|'generate-json'|'generate-turtle'|'html-template') | undefined;
  _code?: Element | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface ImplementationGuideDefinitionTemplate extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  source?: string | undefined;
  _source?: Element | undefined;
  scope?: string | undefined;
  _scope?: Element | undefined;
}

export interface ImplementationGuideDefinition extends BackboneElement {
  grouping?: ImplementationGuideDefinitionGrouping[] | undefined;
  resource: ImplementationGuideDefinitionResource[];
  page?: ImplementationGuideDefinitionPage | undefined;
  parameter?: ImplementationGuideDefinitionParameter[] | undefined;
  template?: ImplementationGuideDefinitionTemplate[] | undefined;
}

export interface ImplementationGuideManifestResource extends BackboneElement {
  reference: Reference;
  exampleBoolean?: boolean | undefined;
  _exampleBoolean?: Element | undefined;
  exampleCanonical?: string | undefined;
  _exampleCanonical?: Element | undefined;
  relativePath?: string | undefined;
  _relativePath?: Element | undefined;
}

export interface ImplementationGuideManifestPage extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  anchor?: (string | null)[] | undefined;
  _anchor?: (Element | null)[] | undefined;
}

export interface ImplementationGuideManifest extends BackboneElement {
  rendering?: string | undefined;
  _rendering?: Element | undefined;
  resource: ImplementationGuideManifestResource[];
  page?: ImplementationGuideManifestPage[] | undefined;
  image?: (string | null)[] | undefined;
  _image?: (Element | null)[] | undefined;
  other?: (string | null)[] | undefined;
  _other?: (Element | null)[] | undefined;
}

export interface NutritionOrder extends DomainResource {
  readonly resourceType: 'NutritionOrder';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  instantiates?: (string | null)[] | undefined;
  _instantiates?: (Element | null)[] | undefined;
  status?: ('draft'|'active'|'on-hold'|'revoked'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  intent?: ('proposal'|'plan'|'directive'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  patient: Reference;
  encounter?: Reference | undefined;
  dateTime?: string | undefined;
  _dateTime?: Element | undefined;
  orderer?: Reference | undefined;
  allergyIntolerance?: Reference[] | undefined;
  foodPreferenceModifier?: CodeableConcept[] | undefined;
  excludeFoodModifier?: CodeableConcept[] | undefined;
  oralDiet?: NutritionOrderOralDiet | undefined;
  supplement?: NutritionOrderSupplement[] | undefined;
  enteralFormula?: NutritionOrderEnteralFormula | undefined;
  note?: Annotation[] | undefined;
}

export interface NutritionOrderOralDietNutrient extends BackboneElement {
  modifier?: CodeableConcept | undefined;
  amount?: Quantity | undefined;
}

export interface NutritionOrderOralDietTexture extends BackboneElement {
  modifier?: CodeableConcept | undefined;
  foodType?: CodeableConcept | undefined;
}

export interface NutritionOrderOralDiet extends BackboneElement {
  type?: CodeableConcept[] | undefined;
  schedule?: Timing[] | undefined;
  nutrient?: NutritionOrderOralDietNutrient[] | undefined;
  texture?: NutritionOrderOralDietTexture[] | undefined;
  fluidConsistencyType?: CodeableConcept[] | undefined;
  instruction?: string | undefined;
  _instruction?: Element | undefined;
}

export interface NutritionOrderSupplement extends BackboneElement {
  type?: CodeableConcept | undefined;
  productName?: string | undefined;
  _productName?: Element | undefined;
  schedule?: Timing[] | undefined;
  quantity?: Quantity | undefined;
  instruction?: string | undefined;
  _instruction?: Element | undefined;
}

export interface NutritionOrderEnteralFormulaAdministration extends BackboneElement {
  schedule?: Timing | undefined;
  quantity?: Quantity | undefined;
  rateQuantity?: Quantity | undefined;
  rateRatio?: Ratio | undefined;
}

export interface NutritionOrderEnteralFormula extends BackboneElement {
  baseFormulaType?: CodeableConcept | undefined;
  baseFormulaProductName?: string | undefined;
  _baseFormulaProductName?: Element | undefined;
  additiveType?: CodeableConcept | undefined;
  additiveProductName?: string | undefined;
  _additiveProductName?: Element | undefined;
  caloricDensity?: Quantity | undefined;
  routeofAdministration?: CodeableConcept | undefined;
  administration?: NutritionOrderEnteralFormulaAdministration[] | undefined;
  maxVolumeToDeliver?: Quantity | undefined;
  administrationInstruction?: string | undefined;
  _administrationInstruction?: Element | undefined;
}

export interface Expression extends Element {
  description?: string | undefined;
  _description?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  language?: string | undefined;
  _language?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
  reference?: string | undefined;
  _reference?: Element | undefined;
}

export interface EnrollmentResponse extends DomainResource {
  readonly resourceType: 'EnrollmentResponse';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  request?: Reference | undefined;
  outcome?: ('queued'|'complete'|'error'|'partial') | undefined;
  _outcome?: Element | undefined;
  disposition?: string | undefined;
  _disposition?: Element | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  organization?: Reference | undefined;
  requestProvider?: Reference | undefined;
}

export interface CoverageEligibilityRequest extends DomainResource {
  readonly resourceType: 'CoverageEligibilityRequest';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  priority?: CodeableConcept | undefined;
  purpose: (('auth-requirements'|'benefits'|'discovery'|'validation') | null)[];
  _purpose?: (Element | null)[] | undefined;
  patient: Reference;
  servicedDate?: string | undefined;
  _servicedDate?: Element | undefined;
  servicedPeriod?: Period | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  enterer?: Reference | undefined;
  provider?: Reference | undefined;
  insurer: Reference;
  facility?: Reference | undefined;
  supportingInfo?: CoverageEligibilityRequestSupportingInfo[] | undefined;
  insurance?: CoverageEligibilityRequestInsurance[] | undefined;
  item?: CoverageEligibilityRequestItem[] | undefined;
}

export interface CoverageEligibilityRequestSupportingInfo extends BackboneElement {
  sequence?: number | undefined;
  _sequence?: Element | undefined;
  information: Reference;
  appliesToAll?: boolean | undefined;
  _appliesToAll?: Element | undefined;
}

export interface CoverageEligibilityRequestInsurance extends BackboneElement {
  focal?: boolean | undefined;
  _focal?: Element | undefined;
  coverage: Reference;
  businessArrangement?: string | undefined;
  _businessArrangement?: Element | undefined;
}

export interface CoverageEligibilityRequestItemDiagnosis extends BackboneElement {
  diagnosisCodeableConcept?: CodeableConcept | undefined;
  diagnosisReference?: Reference | undefined;
}

export interface CoverageEligibilityRequestItem extends BackboneElement {
  supportingInfoSequence?: (number | null)[] | undefined;
  _supportingInfoSequence?: (Element | null)[] | undefined;
  category?: CodeableConcept | undefined;
  productOrService?: CodeableConcept | undefined;
  modifier?: CodeableConcept[] | undefined;
  provider?: Reference | undefined;
  quantity?: Quantity | undefined;
  unitPrice?: Money | undefined;
  facility?: Reference | undefined;
  diagnosis?: CoverageEligibilityRequestItemDiagnosis[] | undefined;
  detail?: Reference[] | undefined;
}

export interface Range extends Element {
  low?: Quantity | undefined;
  high?: Quantity | undefined;
}

export interface Reference extends Element {
  reference?: string | undefined;
  _reference?: Element | undefined;
  type?: string | undefined;
  _type?: Element | undefined;
  identifier?: Identifier | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
}

export interface CodeSystem extends DomainResource {
  readonly resourceType: 'CodeSystem';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  caseSensitive?: boolean | undefined;
  _caseSensitive?: Element | undefined;
  valueSet?: string | undefined;
  _valueSet?: Element | undefined;
  hierarchyMeaning?: ('grouped-by'|'is-a'|'part-of'|'classified-with') | undefined;
  _hierarchyMeaning?: Element | undefined;
  compositional?: boolean | undefined;
  _compositional?: Element | undefined;
  versionNeeded?: boolean | undefined;
  _versionNeeded?: Element | undefined;
  content?: ('not-present'|'example'|'fragment'|'complete'|'supplement') | undefined;
  _content?: Element | undefined;
  supplements?: string | undefined;
  _supplements?: Element | undefined;
  count?: number | undefined;
  _count?: Element | undefined;
  filter?: CodeSystemFilter[] | undefined;
  property?: CodeSystemProperty[] | undefined;
  concept?: CodeSystemConcept[] | undefined;
}

export interface CodeSystemFilter extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  operator: (('='|'is-a'|'descendent-of'|'is-not-a'|'regex'|'in'|'not-in'|'generalizes'|'exists') | null)[];
  _operator?: (Element | null)[] | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface CodeSystemProperty extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  uri?: string | undefined;
  _uri?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  type?: ('code'|'Coding'|'string'|'integer'|'boolean'|'dateTime'|'decimal') | undefined;
  _type?: Element | undefined;
}

export interface CodeSystemConceptDesignation extends BackboneElement {
  language?: string | undefined;
  _language?: Element | undefined;
  use?: Coding | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface CodeSystemConceptProperty extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueCoding?: Coding | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
}

export interface CodeSystemConcept extends BackboneElement {
  code?: string | undefined;
  _code?: Element | undefined;
  display?: string | undefined;
  _display?: Element | undefined;
  definition?: string | undefined;
  _definition?: Element | undefined;
  designation?: CodeSystemConceptDesignation[] | undefined;
  property?: CodeSystemConceptProperty[] | undefined;
  concept?: CodeSystemConcept[] | undefined;
}

export interface MedicationRequest extends DomainResource {
  readonly resourceType: 'MedicationRequest';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'on-hold'|'cancelled'|'completed'|'entered-in-error'|'stopped'|'draft'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  intent?: ('proposal'|'plan'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  doNotPerform?: boolean | undefined;
  _doNotPerform?: Element | undefined;
  reportedBoolean?: boolean | undefined;
  _reportedBoolean?: Element | undefined;
  reportedReference?: Reference | undefined;
  medicationCodeableConcept?: CodeableConcept | undefined;
  medicationReference?: Reference | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  supportingInformation?: Reference[] | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  requester?: Reference | undefined;
  performer?: Reference | undefined;
  performerType?: CodeableConcept | undefined;
  recorder?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  groupIdentifier?: Identifier | undefined;
  courseOfTherapyType?: CodeableConcept | undefined;
  insurance?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  dosageInstruction?: Dosage[] | undefined;
  dispenseRequest?: MedicationRequestDispenseRequest | undefined;
  substitution?: MedicationRequestSubstitution | undefined;
  priorPrescription?: Reference | undefined;
  detectedIssue?: Reference[] | undefined;
  eventHistory?: Reference[] | undefined;
}

export interface MedicationRequestDispenseRequestInitialFill extends BackboneElement {
  quantity?: Quantity | undefined;
  duration?: Duration | undefined;
}

export interface MedicationRequestDispenseRequest extends BackboneElement {
  initialFill?: MedicationRequestDispenseRequestInitialFill | undefined;
  dispenseInterval?: Duration | undefined;
  validityPeriod?: Period | undefined;
  numberOfRepeatsAllowed?: number | undefined;
  _numberOfRepeatsAllowed?: Element | undefined;
  quantity?: Quantity | undefined;
  expectedSupplyDuration?: Duration | undefined;
  performer?: Reference | undefined;
}

export interface MedicationRequestSubstitution extends BackboneElement {
  allowedBoolean?: boolean | undefined;
  _allowedBoolean?: Element | undefined;
  allowedCodeableConcept?: CodeableConcept | undefined;
  reason?: CodeableConcept | undefined;
}

export interface ImmunizationRecommendation extends DomainResource {
  readonly resourceType: 'ImmunizationRecommendation';
  identifier?: Identifier[] | undefined;
  patient: Reference;
  date?: string | undefined;
  _date?: Element | undefined;
  authority?: Reference | undefined;
  recommendation: ImmunizationRecommendationRecommendation[];
}

export interface ImmunizationRecommendationRecommendationDateCriterion extends BackboneElement {
  code: CodeableConcept;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface ImmunizationRecommendationRecommendation extends BackboneElement {
  vaccineCode?: CodeableConcept[] | undefined;
  targetDisease?: CodeableConcept | undefined;
  contraindicatedVaccineCode?: CodeableConcept[] | undefined;
  forecastStatus: CodeableConcept;
  forecastReason?: CodeableConcept[] | undefined;
  dateCriterion?: ImmunizationRecommendationRecommendationDateCriterion[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  series?: string | undefined;
  _series?: Element | undefined;
  doseNumberPositiveInt?: number | undefined;
  _doseNumberPositiveInt?: Element | undefined;
  doseNumberString?: string | undefined;
  _doseNumberString?: Element | undefined;
  seriesDosesPositiveInt?: number | undefined;
  _seriesDosesPositiveInt?: Element | undefined;
  seriesDosesString?: string | undefined;
  _seriesDosesString?: Element | undefined;
  supportingImmunization?: Reference[] | undefined;
  supportingPatientInformation?: Reference[] | undefined;
}

export interface Resource {
  readonly resourceType: string;
  id?: string | undefined;
  _id?: Element | undefined;
  meta?: Meta | undefined;
  implicitRules?: string | undefined;
  _implicitRules?: Element | undefined;
  language?: string | undefined;
  _language?: Element | undefined;
}

export interface DomainResource extends Resource {
  text?: Narrative | undefined;
  contained?: Resource[] | undefined;
  extension?: Extension[] | undefined;
  modifierExtension?: Extension[] | undefined;
}

export interface Slot extends DomainResource {
  readonly resourceType: 'Slot';
  identifier?: Identifier[] | undefined;
  serviceCategory?: CodeableConcept[] | undefined;
  serviceType?: CodeableConcept[] | undefined;
  specialty?: CodeableConcept[] | undefined;
  appointmentType?: CodeableConcept | undefined;
  schedule: Reference;
  status?: ('busy'|'free'|'busy-unavailable'|'busy-tentative'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  start?: string | undefined;
  _start?: Element | undefined;
  end?: string | undefined;
  _end?: Element | undefined;
  overbooked?: boolean | undefined;
  _overbooked?: Element | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface CompartmentDefinition extends DomainResource {
  readonly resourceType: 'CompartmentDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  code?: ('Patient'|'Encounter'|'RelatedPerson'|'Practitioner'|'Device') | undefined;
  _code?: Element | undefined;
  search?: boolean | undefined;
  _search?: Element | undefined;
  resource?: CompartmentDefinitionResource[] | undefined;
}

export interface CompartmentDefinitionResource extends BackboneElement {
  code?: ('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | undefined;
  _code?: Element | undefined;
  param?: (string | null)[] | undefined;
  _param?: (Element | null)[] | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface Coverage extends DomainResource {
  readonly resourceType: 'Coverage';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  type?: CodeableConcept | undefined;
  policyHolder?: Reference | undefined;
  subscriber?: Reference | undefined;
  subscriberId?: string | undefined;
  _subscriberId?: Element | undefined;
  beneficiary: Reference;
  dependent?: string | undefined;
  _dependent?: Element | undefined;
  relationship?: CodeableConcept | undefined;
  period?: Period | undefined;
  payor: Reference[];
  class?: CoverageClass[] | undefined;
  order?: number | undefined;
  _order?: Element | undefined;
  network?: string | undefined;
  _network?: Element | undefined;
  costToBeneficiary?: CoverageCostToBeneficiary[] | undefined;
  subrogation?: boolean | undefined;
  _subrogation?: Element | undefined;
  contract?: Reference[] | undefined;
}

export interface CoverageClass extends BackboneElement {
  type: CodeableConcept;
  value?: string | undefined;
  _value?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
}

export interface CoverageCostToBeneficiaryException extends BackboneElement {
  type: CodeableConcept;
  period?: Period | undefined;
}

export interface CoverageCostToBeneficiary extends BackboneElement {
  type?: CodeableConcept | undefined;
  valueQuantity?: Quantity | undefined;
  valueMoney?: Money | undefined;
  exception?: CoverageCostToBeneficiaryException[] | undefined;
}

export interface PaymentReconciliation extends DomainResource {
  readonly resourceType: 'PaymentReconciliation';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'cancelled'|'draft'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  period?: Period | undefined;
  created?: string | undefined;
  _created?: Element | undefined;
  paymentIssuer?: Reference | undefined;
  request?: Reference | undefined;
  requestor?: Reference | undefined;
  outcome?: ('queued'|'complete'|'error'|'partial') | undefined;
  _outcome?: Element | undefined;
  disposition?: string | undefined;
  _disposition?: Element | undefined;
  paymentDate?: string | undefined;
  _paymentDate?: Element | undefined;
  paymentAmount: Money;
  paymentIdentifier?: Identifier | undefined;
  detail?: PaymentReconciliationDetail[] | undefined;
  formCode?: CodeableConcept | undefined;
  processNote?: PaymentReconciliationProcessNote[] | undefined;
}

export interface PaymentReconciliationDetail extends BackboneElement {
  identifier?: Identifier | undefined;
  predecessor?: Identifier | undefined;
  type: CodeableConcept;
  request?: Reference | undefined;
  submitter?: Reference | undefined;
  response?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  responsible?: Reference | undefined;
  payee?: Reference | undefined;
  amount?: Money | undefined;
}

export interface PaymentReconciliationProcessNote extends BackboneElement {
  type?: ('display'|'print'|'printoper') | undefined;
  _type?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
}

export interface MedicationKnowledge extends DomainResource {
  readonly resourceType: 'MedicationKnowledge';
  code?: CodeableConcept | undefined;
  status?: ('active'|'inactive'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  manufacturer?: Reference | undefined;
  doseForm?: CodeableConcept | undefined;
  amount?: Quantity | undefined;
  synonym?: (string | null)[] | undefined;
  _synonym?: (Element | null)[] | undefined;
  relatedMedicationKnowledge?: MedicationKnowledgeRelatedMedicationKnowledge[] | undefined;
  associatedMedication?: Reference[] | undefined;
  productType?: CodeableConcept[] | undefined;
  monograph?: MedicationKnowledgeMonograph[] | undefined;
  ingredient?: MedicationKnowledgeIngredient[] | undefined;
  preparationInstruction?: string | undefined;
  _preparationInstruction?: Element | undefined;
  intendedRoute?: CodeableConcept[] | undefined;
  cost?: MedicationKnowledgeCost[] | undefined;
  monitoringProgram?: MedicationKnowledgeMonitoringProgram[] | undefined;
  administrationGuidelines?: MedicationKnowledgeAdministrationGuidelines[] | undefined;
  medicineClassification?: MedicationKnowledgeMedicineClassification[] | undefined;
  packaging?: MedicationKnowledgePackaging | undefined;
  drugCharacteristic?: MedicationKnowledgeDrugCharacteristic[] | undefined;
  contraindication?: Reference[] | undefined;
  regulatory?: MedicationKnowledgeRegulatory[] | undefined;
  kinetics?: MedicationKnowledgeKinetics[] | undefined;
}

export interface MedicationKnowledgeRelatedMedicationKnowledge extends BackboneElement {
  type: CodeableConcept;
  reference: Reference[];
}

export interface MedicationKnowledgeMonograph extends BackboneElement {
  type?: CodeableConcept | undefined;
  source?: Reference | undefined;
}

export interface MedicationKnowledgeIngredient extends BackboneElement {
  itemCodeableConcept?: CodeableConcept | undefined;
  itemReference?: Reference | undefined;
  isActive?: boolean | undefined;
  _isActive?: Element | undefined;
  strength?: Ratio | undefined;
}

export interface MedicationKnowledgeCost extends BackboneElement {
  type: CodeableConcept;
  source?: string | undefined;
  _source?: Element | undefined;
  cost: Money;
}

export interface MedicationKnowledgeMonitoringProgram extends BackboneElement {
  type?: CodeableConcept | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
}

export interface MedicationKnowledgeAdministrationGuidelinesDosage extends BackboneElement {
  type: CodeableConcept;
  dosage: Dosage[];
}

export interface MedicationKnowledgeAdministrationGuidelinesPatientCharacteristics extends BackboneElement {
  characteristicCodeableConcept?: CodeableConcept | undefined;
  characteristicQuantity?: Quantity | undefined;
  value?: (string | null)[] | undefined;
  _value?: (Element | null)[] | undefined;
}

export interface MedicationKnowledgeAdministrationGuidelines extends BackboneElement {
  dosage?: MedicationKnowledgeAdministrationGuidelinesDosage[] | undefined;
  indicationCodeableConcept?: CodeableConcept | undefined;
  indicationReference?: Reference | undefined;
  patientCharacteristics?: MedicationKnowledgeAdministrationGuidelinesPatientCharacteristics[] | undefined;
}

export interface MedicationKnowledgeMedicineClassification extends BackboneElement {
  type: CodeableConcept;
  classification?: CodeableConcept[] | undefined;
}

export interface MedicationKnowledgePackaging extends BackboneElement {
  type?: CodeableConcept | undefined;
  quantity?: Quantity | undefined;
}

export interface MedicationKnowledgeDrugCharacteristic extends BackboneElement {
  type?: CodeableConcept | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueQuantity?: Quantity | undefined;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
}

export interface MedicationKnowledgeRegulatorySubstitution extends BackboneElement {
  type: CodeableConcept;
  allowed?: boolean | undefined;
  _allowed?: Element | undefined;
}

export interface MedicationKnowledgeRegulatorySchedule extends BackboneElement {
  schedule: CodeableConcept;
}

export interface MedicationKnowledgeRegulatoryMaxDispense extends BackboneElement {
  quantity: Quantity;
  period?: Duration | undefined;
}

export interface MedicationKnowledgeRegulatory extends BackboneElement {
  regulatoryAuthority: Reference;
  substitution?: MedicationKnowledgeRegulatorySubstitution[] | undefined;
  schedule?: MedicationKnowledgeRegulatorySchedule[] | undefined;
  maxDispense?: MedicationKnowledgeRegulatoryMaxDispense | undefined;
}

export interface MedicationKnowledgeKinetics extends BackboneElement {
  areaUnderCurve?: Quantity[] | undefined;
  lethalDose50?: Quantity[] | undefined;
  halfLifePeriod?: Duration | undefined;
}

export interface SubstanceReferenceInformation extends DomainResource {
  readonly resourceType: 'SubstanceReferenceInformation';
  comment?: string | undefined;
  _comment?: Element | undefined;
  gene?: SubstanceReferenceInformationGene[] | undefined;
  geneElement?: SubstanceReferenceInformationGeneElement[] | undefined;
  classification?: SubstanceReferenceInformationClassification[] | undefined;
  target?: SubstanceReferenceInformationTarget[] | undefined;
}

export interface SubstanceReferenceInformationGene extends BackboneElement {
  geneSequenceOrigin?: CodeableConcept | undefined;
  gene?: CodeableConcept | undefined;
  source?: Reference[] | undefined;
}

export interface SubstanceReferenceInformationGeneElement extends BackboneElement {
  type?: CodeableConcept | undefined;
  element?: Identifier | undefined;
  source?: Reference[] | undefined;
}

export interface SubstanceReferenceInformationClassification extends BackboneElement {
  domain?: CodeableConcept | undefined;
  classification?: CodeableConcept | undefined;
  subtype?: CodeableConcept[] | undefined;
  source?: Reference[] | undefined;
}

export interface SubstanceReferenceInformationTarget extends BackboneElement {
  target?: Identifier | undefined;
  type?: CodeableConcept | undefined;
  interaction?: CodeableConcept | undefined;
  organism?: CodeableConcept | undefined;
  organismType?: CodeableConcept | undefined;
  amountQuantity?: Quantity | undefined;
  amountRange?: Range | undefined;
  amountString?: string | undefined;
  _amountString?: Element | undefined;
  amountType?: CodeableConcept | undefined;
  source?: Reference[] | undefined;
}

export interface ImmunizationEvaluation extends DomainResource {
  readonly resourceType: 'ImmunizationEvaluation';
  identifier?: Identifier[] | undefined;
  status?: ('completed'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  patient: Reference;
  date?: string | undefined;
  _date?: Element | undefined;
  authority?: Reference | undefined;
  targetDisease: CodeableConcept;
  immunizationEvent: Reference;
  doseStatus: CodeableConcept;
  doseStatusReason?: CodeableConcept[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  series?: string | undefined;
  _series?: Element | undefined;
  doseNumberPositiveInt?: number | undefined;
  _doseNumberPositiveInt?: Element | undefined;
  doseNumberString?: string | undefined;
  _doseNumberString?: Element | undefined;
  seriesDosesPositiveInt?: number | undefined;
  _seriesDosesPositiveInt?: Element | undefined;
  seriesDosesString?: string | undefined;
  _seriesDosesString?: Element | undefined;
}

export interface SearchParameter extends DomainResource {
  readonly resourceType: 'SearchParameter';
  url?: string | undefined;
  _url?: Element | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  derivedFrom?: string | undefined;
  _derivedFrom?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  code?: string | undefined;
  _code?: Element | undefined;
  base: (('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | null)[];
  _base?: (Element | null)[] | undefined;
  type?: ('number'|'date'|'string'|'token'|'reference'|'composite'|'quantity'|'uri'|'special') | undefined;
  _type?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
  xpath?: string | undefined;
  _xpath?: Element | undefined;
  xpathUsage?: ('normal'|'phonetic'|'nearby'|'distance'|'other') | undefined;
  _xpathUsage?: Element | undefined;
  target?: (('Account'|'ActivityDefinition'|'AdverseEvent'|'AllergyIntolerance'|'Appointment'|'AppointmentResponse'|'AuditEvent'|'Basic'|'Binary'|'BiologicallyDerivedProduct'|'BodyStructure'|'Bundle'|'CapabilityStatement'|'CarePlan'|'CareTeam'|'CatalogEntry'|'ChargeItem'|'ChargeItemDefinition'|'Claim'|'ClaimResponse'|'ClinicalImpression'|'CodeSystem'|'Communication'|'CommunicationRequest'|'CompartmentDefinition'|'Composition'|'ConceptMap'|'Condition'|'Consent'|'Contract'|'Coverage'|'CoverageEligibilityRequest'|'CoverageEligibilityResponse'|'DetectedIssue'|'Device'|'DeviceDefinition'|'DeviceMetric'|'DeviceRequest'|'DeviceUseStatement'|'DiagnosticReport'|'DocumentManifest'|'DocumentReference'|'DomainResource'|'EffectEvidenceSynthesis'|'Encounter'|'Endpoint'|'EnrollmentRequest'|'EnrollmentResponse'|'EpisodeOfCare'|'EventDefinition'|'Evidence'|'EvidenceVariable'|'ExampleScenario'|'ExplanationOfBenefit'|'FamilyMemberHistory'|'Flag'|'Goal'|'GraphDefinition'|'Group'|'GuidanceResponse'|'HealthcareService'|'ImagingStudy'|'Immunization'|'ImmunizationEvaluation'|'ImmunizationRecommendation'|'ImplementationGuide'|'InsurancePlan'|'Invoice'|'Library'|'Linkage'|'List'|'Location'|'Measure'|'MeasureReport'|'Media'|'Medication'|'MedicationAdministration'|'MedicationDispense'|'MedicationKnowledge'|'MedicationRequest'|'MedicationStatement'|'MedicinalProduct'|'MedicinalProductAuthorization'|'MedicinalProductContraindication'|'MedicinalProductIndication'|'MedicinalProductIngredient'|'MedicinalProductInteraction'|'MedicinalProductManufactured'|'MedicinalProductPackaged'|'MedicinalProductPharmaceutical'|'MedicinalProductUndesirableEffect'|'MessageDefinition'|'MessageHeader'|'MolecularSequence'|'NamingSystem'|'NutritionOrder'|'Observation'|'ObservationDefinition'|'OperationDefinition'|'OperationOutcome'|'Organization'|'OrganizationAffiliation'|'Parameters'|'Patient'|'PaymentNotice'|'PaymentReconciliation'|'Person'|'PlanDefinition'|'Practitioner'|'PractitionerRole'|'Procedure'|'Provenance'|'Questionnaire'|'QuestionnaireResponse'|'RelatedPerson'|'RequestGroup'|'ResearchDefinition'|'ResearchElementDefinition'|'ResearchStudy'|'ResearchSubject'|'Resource'|'RiskAssessment'|'RiskEvidenceSynthesis'|'Schedule'|'SearchParameter'|'ServiceRequest'|'Slot'|'Specimen'|'SpecimenDefinition'|'StructureDefinition'|'StructureMap'|'Subscription'|'Substance'|'SubstanceNucleicAcid'|'SubstancePolymer'|'SubstanceProtein'|'SubstanceReferenceInformation'|'SubstanceSourceMaterial'|'SubstanceSpecification'|'SupplyDelivery'|'SupplyRequest'|'Task'|'TerminologyCapabilities'|'TestReport'|'TestScript'|'ValueSet'|'VerificationResult'|'VisionPrescription') | null)[] | undefined;
  _target?: (Element | null)[] | undefined;
  multipleOr?: boolean | undefined;
  _multipleOr?: Element | undefined;
  multipleAnd?: boolean | undefined;
  _multipleAnd?: Element | undefined;
  comparator?: (('eq'|'ne'|'gt'|'lt'|'ge'|'le'|'sa'|'eb'|'ap') | null)[] | undefined;
  _comparator?: (Element | null)[] | undefined;
  modifier?: (('missing'|'exact'|'contains'|'not'|'text'|'in'|'not-in'|'below'|'above'|'type'|'identifier'|'ofType') | null)[] | undefined;
  _modifier?: (Element | null)[] | undefined;
  chain?: (string | null)[] | undefined;
  _chain?: (Element | null)[] | undefined;
  component?: SearchParameterComponent[] | undefined;
}

export interface SearchParameterComponent extends BackboneElement {
  definition?: string | undefined;
  _definition?: Element | undefined;
  expression?: string | undefined;
  _expression?: Element | undefined;
}

export interface Narrative extends Element {
  status?: ('generated'|'extensions'|'additional'|'empty') | undefined;
  _status?: Element | undefined;
  div?: string | undefined;
  _div?: Element | undefined;
}

export interface MedicationStatement extends DomainResource {
  readonly resourceType: 'MedicationStatement';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('active'|'completed'|'entered-in-error'|'intended'|'stopped'|'on-hold'|'unknown'|'not-taken') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept[] | undefined;
  category?: CodeableConcept | undefined;
  medicationCodeableConcept?: CodeableConcept | undefined;
  medicationReference?: Reference | undefined;
  subject: Reference;
  context?: Reference | undefined;
  effectiveDateTime?: string | undefined;
  _effectiveDateTime?: Element | undefined;
  effectivePeriod?: Period | undefined;
  dateAsserted?: string | undefined;
  _dateAsserted?: Element | undefined;
  informationSource?: Reference | undefined;
  derivedFrom?: Reference[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  dosage?: Dosage[] | undefined;
}

export interface Money extends Element {
  value?: number | undefined;
  _value?: Element | undefined;
  currency?: string | undefined;
  _currency?: Element | undefined;
}

export interface Schedule extends DomainResource {
  readonly resourceType: 'Schedule';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  serviceCategory?: CodeableConcept[] | undefined;
  serviceType?: CodeableConcept[] | undefined;
  specialty?: CodeableConcept[] | undefined;
  actor: Reference[];
  planningHorizon?: Period | undefined;
  comment?: string | undefined;
  _comment?: Element | undefined;
}

export interface ProdCharacteristic extends BackboneElement {
  height?: Quantity | undefined;
  width?: Quantity | undefined;
  depth?: Quantity | undefined;
  weight?: Quantity | undefined;
  nominalVolume?: Quantity | undefined;
  externalDiameter?: Quantity | undefined;
  shape?: string | undefined;
  _shape?: Element | undefined;
  color?: (string | null)[] | undefined;
  _color?: (Element | null)[] | undefined;
  imprint?: (string | null)[] | undefined;
  _imprint?: (Element | null)[] | undefined;
  image?: Attachment[] | undefined;
  scoring?: CodeableConcept | undefined;
}

export interface Distance extends Quantity {
}

export interface Person extends DomainResource {
  readonly resourceType: 'Person';
  identifier?: Identifier[] | undefined;
  name?: HumanName[] | undefined;
  telecom?: ContactPoint[] | undefined;
  gender?: ('male'|'female'|'other'|'unknown') | undefined;
  _gender?: Element | undefined;
  birthDate?: string | undefined;
  _birthDate?: Element | undefined;
  address?: Address[] | undefined;
  photo?: Attachment | undefined;
  managingOrganization?: Reference | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  link?: PersonLink[] | undefined;
}

export interface PersonLink extends BackboneElement {
  target: Reference;
  assurance?: ('level1'|'level2'|'level3'|'level4') | undefined;
  _assurance?: Element | undefined;
}

export interface AllergyIntolerance extends DomainResource {
  readonly resourceType: 'AllergyIntolerance';
  identifier?: Identifier[] | undefined;
  clinicalStatus?: CodeableConcept | undefined;
  verificationStatus?: CodeableConcept | undefined;
  type?: ('allergy'|'intolerance') | undefined;
  _type?: Element | undefined;
  category?: (('food'|'medication'|'environment'|'biologic') | null)[] | undefined;
  _category?: (Element | null)[] | undefined;
  criticality?: ('low'|'high'|'unable-to-assess') | undefined;
  _criticality?: Element | undefined;
  code?: CodeableConcept | undefined;
  patient: Reference;
  encounter?: Reference | undefined;
  onsetDateTime?: string | undefined;
  _onsetDateTime?: Element | undefined;
  onsetAge?: Age | undefined;
  onsetPeriod?: Period | undefined;
  onsetRange?: Range | undefined;
  onsetString?: string | undefined;
  _onsetString?: Element | undefined;
  recordedDate?: string | undefined;
  _recordedDate?: Element | undefined;
  recorder?: Reference | undefined;
  asserter?: Reference | undefined;
  lastOccurrence?: string | undefined;
  _lastOccurrence?: Element | undefined;
  note?: Annotation[] | undefined;
  reaction?: AllergyIntoleranceReaction[] | undefined;
}

export interface AllergyIntoleranceReaction extends BackboneElement {
  substance?: CodeableConcept | undefined;
  manifestation: CodeableConcept[];
  description?: string | undefined;
  _description?: Element | undefined;
  onset?: string | undefined;
  _onset?: Element | undefined;
  severity?: ('mild'|'moderate'|'severe') | undefined;
  _severity?: Element | undefined;
  exposureRoute?: CodeableConcept | undefined;
  note?: Annotation[] | undefined;
}

export interface PlanDefinition extends DomainResource {
  readonly resourceType: 'PlanDefinition';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  type?: CodeableConcept | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  library?: (string | null)[] | undefined;
  _library?: (Element | null)[] | undefined;
  goal?: PlanDefinitionGoal[] | undefined;
  action?: PlanDefinitionAction[] | undefined;
}

export interface PlanDefinitionGoalTarget extends BackboneElement {
  measure?: CodeableConcept | undefined;
  detailQuantity?: Quantity | undefined;
  detailRange?: Range | undefined;
  detailCodeableConcept?: CodeableConcept | undefined;
  due?: Duration | undefined;
}

export interface PlanDefinitionGoal extends BackboneElement {
  category?: CodeableConcept | undefined;
  description: CodeableConcept;
  priority?: CodeableConcept | undefined;
  start?: CodeableConcept | undefined;
  addresses?: CodeableConcept[] | undefined;
  documentation?: RelatedArtifact[] | undefined;
  target?: PlanDefinitionGoalTarget[] | undefined;
}

export interface PlanDefinitionActionCondition extends BackboneElement {
  kind?: ('applicability'|'start'|'stop') | undefined;
  _kind?: Element | undefined;
  expression?: Expression | undefined;
}

export interface PlanDefinitionActionRelatedAction extends BackboneElement {
  actionId?: string | undefined;
  _actionId?: Element | undefined;
  relationship?: ('before-start'|'before'|'before-end'|'concurrent-with-start'|'concurrent'|'concurrent-with-end'|'after-start'|'after'|'after-end') | undefined;
  _relationship?: Element | undefined;
  offsetDuration?: Duration | undefined;
  offsetRange?: Range | undefined;
}

export interface PlanDefinitionActionParticipant extends BackboneElement {
  type?: ('patient'|'practitioner'|'related-person'|'device') | undefined;
  _type?: Element | undefined;
  role?: CodeableConcept | undefined;
}

export interface PlanDefinitionActionDynamicValue extends BackboneElement {
  path?: string | undefined;
  _path?: Element | undefined;
  expression?: Expression | undefined;
}

export interface PlanDefinitionAction extends BackboneElement {
  prefix?: string | undefined;
  _prefix?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  textEquivalent?: string | undefined;
  _textEquivalent?: Element | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  code?: CodeableConcept[] | undefined;
  reason?: CodeableConcept[] | undefined;
  documentation?: RelatedArtifact[] | undefined;
  goalId?: (string | null)[] | undefined;
  _goalId?: (Element | null)[] | undefined;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  trigger?: TriggerDefinition[] | undefined;
  condition?: PlanDefinitionActionCondition[] | undefined;
  input?: DataRequirement[] | undefined;
  output?: DataRequirement[] | undefined;
  relatedAction?: PlanDefinitionActionRelatedAction[] | undefined;
  timingDateTime?: string | undefined;
  _timingDateTime?: Element | undefined;
  timingAge?: Age | undefined;
  timingPeriod?: Period | undefined;
  timingDuration?: Duration | undefined;
  timingRange?: Range | undefined;
  timingTiming?: Timing | undefined;
  participant?: PlanDefinitionActionParticipant[] | undefined;
  type?: CodeableConcept | undefined;
  groupingBehavior?: ('visual-group'|'logical-group'|'sentence-group') | undefined;
  _groupingBehavior?: Element | undefined;
  selectionBehavior?: ('any'|'all'|'all-or-none'|'exactly-one'|'at-most-one'|'one-or-more') | undefined;
  _selectionBehavior?: Element | undefined;
  requiredBehavior?: ('must'|'could'|'must-unless-documented') | undefined;
  _requiredBehavior?: Element | undefined;
  precheckBehavior?: ('yes'|'no') | undefined;
  _precheckBehavior?: Element | undefined;
  cardinalityBehavior?: ('single'|'multiple') | undefined;
  _cardinalityBehavior?: Element | undefined;
  definitionCanonical?: string | undefined;
  _definitionCanonical?: Element | undefined;
  definitionUri?: string | undefined;
  _definitionUri?: Element | undefined;
  transform?: string | undefined;
  _transform?: Element | undefined;
  dynamicValue?: PlanDefinitionActionDynamicValue[] | undefined;
  action?: PlanDefinitionAction[] | undefined;
}

export interface ResearchSubject extends DomainResource {
  readonly resourceType: 'ResearchSubject';
  identifier?: Identifier[] | undefined;
  status?: ('candidate'|'eligible'|'follow-up'|'ineligible'|'not-registered'|'off-study'|'on-study'|'on-study-intervention'|'on-study-observation'|'pending-on-study'|'potential-candidate'|'screening'|'withdrawn') | undefined;
  _status?: Element | undefined;
  period?: Period | undefined;
  study: Reference;
  individual: Reference;
  assignedArm?: string | undefined;
  _assignedArm?: Element | undefined;
  actualArm?: string | undefined;
  _actualArm?: Element | undefined;
  consent?: Reference | undefined;
}

export interface ClinicalImpression extends DomainResource {
  readonly resourceType: 'ClinicalImpression';
  identifier?: Identifier[] | undefined;
  status?: ('in-progress'|'completed'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  code?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  effectiveDateTime?: string | undefined;
  _effectiveDateTime?: Element | undefined;
  effectivePeriod?: Period | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  assessor?: Reference | undefined;
  previous?: Reference | undefined;
  problem?: Reference[] | undefined;
  investigation?: ClinicalImpressionInvestigation[] | undefined;
  protocol?: (string | null)[] | undefined;
  _protocol?: (Element | null)[] | undefined;
  summary?: string | undefined;
  _summary?: Element | undefined;
  finding?: ClinicalImpressionFinding[] | undefined;
  prognosisCodeableConcept?: CodeableConcept[] | undefined;
  prognosisReference?: Reference[] | undefined;
  supportingInfo?: Reference[] | undefined;
  note?: Annotation[] | undefined;
}

export interface ClinicalImpressionInvestigation extends BackboneElement {
  code: CodeableConcept;
  item?: Reference[] | undefined;
}

export interface ClinicalImpressionFinding extends BackboneElement {
  itemCodeableConcept?: CodeableConcept | undefined;
  itemReference?: Reference | undefined;
  basis?: string | undefined;
  _basis?: Element | undefined;
}

export interface Subscription extends DomainResource {
  readonly resourceType: 'Subscription';
  status?: ('requested'|'active'|'error'|'off') | undefined;
  _status?: Element | undefined;
  contact?: ContactPoint[] | undefined;
  end?: string | undefined;
  _end?: Element | undefined;
  reason?: string | undefined;
  _reason?: Element | undefined;
  criteria?: string | undefined;
  _criteria?: Element | undefined;
  error?: string | undefined;
  _error?: Element | undefined;
  channel: SubscriptionChannel;
}

export interface SubscriptionChannel extends BackboneElement {
  type?: ('rest-hook'|'websocket'|'email'|'sms'|'message') | undefined;
  _type?: Element | undefined;
  endpoint?: string | undefined;
  _endpoint?: Element | undefined;
  payload?: string | undefined;
  _payload?: Element | undefined;
  header?: (string | null)[] | undefined;
  _header?: (Element | null)[] | undefined;
}

export interface CareTeam extends DomainResource {
  readonly resourceType: 'CareTeam';
  identifier?: Identifier[] | undefined;
  status?: ('proposed'|'active'|'suspended'|'inactive'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  subject?: Reference | undefined;
  encounter?: Reference | undefined;
  period?: Period | undefined;
  participant?: CareTeamParticipant[] | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  managingOrganization?: Reference[] | undefined;
  telecom?: ContactPoint[] | undefined;
  note?: Annotation[] | undefined;
}

export interface CareTeamParticipant extends BackboneElement {
  role?: CodeableConcept[] | undefined;
  member?: Reference | undefined;
  onBehalfOf?: Reference | undefined;
  period?: Period | undefined;
}

export interface Device extends DomainResource {
  readonly resourceType: 'Device';
  identifier?: Identifier[] | undefined;
  definition?: Reference | undefined;
  udiCarrier?: DeviceUdiCarrier[] | undefined;
  status?: ('active'|'inactive'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept[] | undefined;
  distinctIdentifier?: string | undefined;
  _distinctIdentifier?: Element | undefined;
  manufacturer?: string | undefined;
  _manufacturer?: Element | undefined;
  manufactureDate?: string | undefined;
  _manufactureDate?: Element | undefined;
  expirationDate?: string | undefined;
  _expirationDate?: Element | undefined;
  lotNumber?: string | undefined;
  _lotNumber?: Element | undefined;
  serialNumber?: string | undefined;
  _serialNumber?: Element | undefined;
  deviceName?: DeviceDeviceName[] | undefined;
  modelNumber?: string | undefined;
  _modelNumber?: Element | undefined;
  partNumber?: string | undefined;
  _partNumber?: Element | undefined;
  type?: CodeableConcept | undefined;
  specialization?: DeviceSpecialization[] | undefined;
  version?: DeviceVersion[] | undefined;
  property?: DeviceProperty[] | undefined;
  patient?: Reference | undefined;
  owner?: Reference | undefined;
  contact?: ContactPoint[] | undefined;
  location?: Reference | undefined;
  url?: string | undefined;
  _url?: Element | undefined;
  note?: Annotation[] | undefined;
  safety?: CodeableConcept[] | undefined;
  parent?: Reference | undefined;
}

export interface DeviceUdiCarrier extends BackboneElement {
  deviceIdentifier?: string | undefined;
  _deviceIdentifier?: Element | undefined;
  issuer?: string | undefined;
  _issuer?: Element | undefined;
  jurisdiction?: string | undefined;
  _jurisdiction?: Element | undefined;
  carrierAIDC?: string | undefined;
  _carrierAIDC?: Element | undefined;
  carrierHRF?: string | undefined;
  _carrierHRF?: Element | undefined;
  entryType?: ('barcode'|'rfid'|'manual'|'card'|'self-reported'|'unknown') | undefined;
  _entryType?: Element | undefined;
}

export interface DeviceDeviceName extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  type?: ('udi-label-name'|'user-friendly-name'|'patient-reported-name'|'manufacturer-name'|'model-name'|'other') | undefined;
  _type?: Element | undefined;
}

export interface DeviceSpecialization extends BackboneElement {
  systemType: CodeableConcept;
  version?: string | undefined;
  _version?: Element | undefined;
}

export interface DeviceVersion extends BackboneElement {
  type?: CodeableConcept | undefined;
  component?: Identifier | undefined;
  value?: string | undefined;
  _value?: Element | undefined;
}

export interface DeviceProperty extends BackboneElement {
  type: CodeableConcept;
  valueQuantity?: Quantity[] | undefined;
  valueCode?: CodeableConcept[] | undefined;
}

export interface Consent extends DomainResource {
  readonly resourceType: 'Consent';
  identifier?: Identifier[] | undefined;
  status?: ('draft'|'proposed'|'active'|'rejected'|'inactive'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  scope: CodeableConcept;
  category: CodeableConcept[];
  patient?: Reference | undefined;
  dateTime?: string | undefined;
  _dateTime?: Element | undefined;
  performer?: Reference[] | undefined;
  organization?: Reference[] | undefined;
  sourceAttachment?: Attachment | undefined;
  sourceReference?: Reference | undefined;
  policy?: ConsentPolicy[] | undefined;
  policyRule?: CodeableConcept | undefined;
  verification?: ConsentVerification[] | undefined;
  provision?: ConsentProvision | undefined;
}

export interface ConsentPolicy extends BackboneElement {
  authority?: string | undefined;
  _authority?: Element | undefined;
  uri?: string | undefined;
  _uri?: Element | undefined;
}

export interface ConsentVerification extends BackboneElement {
  verified?: boolean | undefined;
  _verified?: Element | undefined;
  verifiedWith?: Reference | undefined;
  verificationDate?: string | undefined;
  _verificationDate?: Element | undefined;
}

export interface ConsentProvisionActor extends BackboneElement {
  role: CodeableConcept;
  reference: Reference;
}

export interface ConsentProvisionData extends BackboneElement {
  meaning?: ('instance'|'related'|'dependents'|'authoredby') | undefined;
  _meaning?: Element | undefined;
  reference: Reference;
}

export interface ConsentProvision extends BackboneElement {
  type?: ('deny'|'permit') | undefined;
  _type?: Element | undefined;
  period?: Period | undefined;
  actor?: ConsentProvisionActor[] | undefined;
  action?: CodeableConcept[] | undefined;
  securityLabel?: Coding[] | undefined;
  purpose?: Coding[] | undefined;
  class?: Coding[] | undefined;
  code?: CodeableConcept[] | undefined;
  dataPeriod?: Period | undefined;
  data?: ConsentProvisionData[] | undefined;
  provision?: ConsentProvision[] | undefined;
}

export interface SampledData extends Element {
  origin: Quantity;
  period?: number | undefined;
  _period?: Element | undefined;
  factor?: number | undefined;
  _factor?: Element | undefined;
  lowerLimit?: number | undefined;
  _lowerLimit?: Element | undefined;
  upperLimit?: number | undefined;
  _upperLimit?: Element | undefined;
  dimensions?: number | undefined;
  _dimensions?: Element | undefined;
  data?: string | undefined;
  _data?: Element | undefined;
}

export interface Communication extends DomainResource {
  readonly resourceType: 'Communication';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  inResponseTo?: Reference[] | undefined;
  status?: ('preparation'|'in-progress'|'not-done'|'on-hold'|'stopped'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  category?: CodeableConcept[] | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  medium?: CodeableConcept[] | undefined;
  subject?: Reference | undefined;
  topic?: CodeableConcept | undefined;
  about?: Reference[] | undefined;
  encounter?: Reference | undefined;
  sent?: string | undefined;
  _sent?: Element | undefined;
  received?: string | undefined;
  _received?: Element | undefined;
  recipient?: Reference[] | undefined;
  sender?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  payload?: CommunicationPayload[] | undefined;
  note?: Annotation[] | undefined;
}

export interface CommunicationPayload extends BackboneElement {
  contentString?: string | undefined;
  _contentString?: Element | undefined;
  contentAttachment?: Attachment | undefined;
  contentReference?: Reference | undefined;
}

export interface Library extends DomainResource {
  readonly resourceType: 'Library';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  subtitle?: string | undefined;
  _subtitle?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  type: CodeableConcept;
  subjectCodeableConcept?: CodeableConcept | undefined;
  subjectReference?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  usage?: string | undefined;
  _usage?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  approvalDate?: string | undefined;
  _approvalDate?: Element | undefined;
  lastReviewDate?: string | undefined;
  _lastReviewDate?: Element | undefined;
  effectivePeriod?: Period | undefined;
  topic?: CodeableConcept[] | undefined;
  author?: ContactDetail[] | undefined;
  editor?: ContactDetail[] | undefined;
  reviewer?: ContactDetail[] | undefined;
  endorser?: ContactDetail[] | undefined;
  relatedArtifact?: RelatedArtifact[] | undefined;
  parameter?: ParameterDefinition[] | undefined;
  dataRequirement?: DataRequirement[] | undefined;
  content?: Attachment[] | undefined;
}

export interface Age extends Quantity {
}

export interface CodeableConcept extends Element {
  coding?: Coding[] | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
}

export interface StructureMap extends DomainResource {
  readonly resourceType: 'StructureMap';
  url?: string | undefined;
  _url?: Element | undefined;
  identifier?: Identifier[] | undefined;
  version?: string | undefined;
  _version?: Element | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  title?: string | undefined;
  _title?: Element | undefined;
  status?: ('draft'|'active'|'retired'|'unknown') | undefined;
  _status?: Element | undefined;
  experimental?: boolean | undefined;
  _experimental?: Element | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  publisher?: string | undefined;
  _publisher?: Element | undefined;
  contact?: ContactDetail[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  useContext?: UsageContext[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  purpose?: string | undefined;
  _purpose?: Element | undefined;
  copyright?: string | undefined;
  _copyright?: Element | undefined;
  structure?: StructureMapStructure[] | undefined;
  import?: (string | null)[] | undefined;
  _import?: (Element | null)[] | undefined;
  group: StructureMapGroup[];
}

export interface StructureMapStructure extends BackboneElement {
  url?: string | undefined;
  _url?: Element | undefined;
  mode?: ('source'|'queried'|'target'|'produced') | undefined;
  _mode?: Element | undefined;
  alias?: string | undefined;
  _alias?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface StructureMapGroupInput extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  type?: string | undefined;
  _type?: Element | undefined;
  mode?: ('source'|'target') | undefined;
  _mode?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface StructureMapGroupRuleSource extends BackboneElement {
  context?: string | undefined;
  _context?: Element | undefined;
  min?: number | undefined;
  _min?: Element | undefined;
  max?: string | undefined;
  _max?: Element | undefined;
  type?: string | undefined;
  _type?: Element | undefined;
  defaultValueBase64Binary?: string | undefined;
  _defaultValueBase64Binary?: Element | undefined;
  defaultValueBoolean?: boolean | undefined;
  _defaultValueBoolean?: Element | undefined;
  defaultValueCanonical?: string | undefined;
  _defaultValueCanonical?: Element | undefined;
  defaultValueCode?: string | undefined;
  _defaultValueCode?: Element | undefined;
  defaultValueDate?: string | undefined;
  _defaultValueDate?: Element | undefined;
  defaultValueDateTime?: string | undefined;
  _defaultValueDateTime?: Element | undefined;
  defaultValueDecimal?: number | undefined;
  _defaultValueDecimal?: Element | undefined;
  defaultValueId?: string | undefined;
  _defaultValueId?: Element | undefined;
  defaultValueInstant?: string | undefined;
  _defaultValueInstant?: Element | undefined;
  defaultValueInteger?: number | undefined;
  _defaultValueInteger?: Element | undefined;
  defaultValueMarkdown?: string | undefined;
  _defaultValueMarkdown?: Element | undefined;
  defaultValueOid?: string | undefined;
  _defaultValueOid?: Element | undefined;
  defaultValuePositiveInt?: number | undefined;
  _defaultValuePositiveInt?: Element | undefined;
  defaultValueString?: string | undefined;
  _defaultValueString?: Element | undefined;
  defaultValueTime?: string | undefined;
  _defaultValueTime?: Element | undefined;
  defaultValueUnsignedInt?: number | undefined;
  _defaultValueUnsignedInt?: Element | undefined;
  defaultValueUri?: string | undefined;
  _defaultValueUri?: Element | undefined;
  defaultValueUrl?: string | undefined;
  _defaultValueUrl?: Element | undefined;
  defaultValueUuid?: string | undefined;
  _defaultValueUuid?: Element | undefined;
  defaultValueAddress?: Address | undefined;
  defaultValueAge?: Age | undefined;
  defaultValueAnnotation?: Annotation | undefined;
  defaultValueAttachment?: Attachment | undefined;
  defaultValueCodeableConcept?: CodeableConcept | undefined;
  defaultValueCoding?: Coding | undefined;
  defaultValueContactPoint?: ContactPoint | undefined;
  defaultValueCount?: Count | undefined;
  defaultValueDistance?: Distance | undefined;
  defaultValueDuration?: Duration | undefined;
  defaultValueHumanName?: HumanName | undefined;
  defaultValueIdentifier?: Identifier | undefined;
  defaultValueMoney?: Money | undefined;
  defaultValuePeriod?: Period | undefined;
  defaultValueQuantity?: Quantity | undefined;
  defaultValueRange?: Range | undefined;
  defaultValueRatio?: Ratio | undefined;
  defaultValueReference?: Reference | undefined;
  defaultValueSampledData?: SampledData | undefined;
  defaultValueSignature?: Signature | undefined;
  defaultValueTiming?: Timing | undefined;
  defaultValueContactDetail?: ContactDetail | undefined;
  defaultValueContributor?: Contributor | undefined;
  defaultValueDataRequirement?: DataRequirement | undefined;
  defaultValueExpression?: Expression | undefined;
  defaultValueParameterDefinition?: ParameterDefinition | undefined;
  defaultValueRelatedArtifact?: RelatedArtifact | undefined;
  defaultValueTriggerDefinition?: TriggerDefinition | undefined;
  defaultValueUsageContext?: UsageContext | undefined;
  defaultValueDosage?: Dosage | undefined;
  defaultValueMeta?: Meta | undefined;
  element?: string | undefined;
  _element?: Element | undefined;
  listMode?: ('first'|'not_first'|'last'|'not_last'|'only_one') | undefined;
  _listMode?: Element | undefined;
  variable?: string | undefined;
  _variable?: Element | undefined;
  condition?: string | undefined;
  _condition?: Element | undefined;
  check?: string | undefined;
  _check?: Element | undefined;
  logMessage?: string | undefined;
  _logMessage?: Element | undefined;
}

export interface StructureMapGroupRuleTargetParameter extends BackboneElement {
  valueId?: string | undefined;
  _valueId?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
}

export interface StructureMapGroupRuleTarget extends BackboneElement {
  context?: string | undefined;
  _context?: Element | undefined;
  contextType?: ('type'|'variable') | undefined;
  _contextType?: Element | undefined;
  element?: string | undefined;
  _element?: Element | undefined;
  variable?: string | undefined;
  _variable?: Element | undefined;
  listMode?: (('first'|'share'|'last'|'collate') | null)[] | undefined;
  _listMode?: (Element | null)[] | undefined;
  listRuleId?: string | undefined;
  _listRuleId?: Element | undefined;
  transform?: ('create'|'copy'|'truncate'|'escape'|'cast'|'append'|'translate'|'reference'|'dateOp'|'uuid'|'pointer'|'evaluate'|'cc'|'c'|'qty'|'id'|'cp') | undefined;
  _transform?: Element | undefined;
  parameter?: StructureMapGroupRuleTargetParameter[] | undefined;
}

export interface StructureMapGroupRuleDependent extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  variable: (string | null)[];
  _variable?: (Element | null)[] | undefined;
}

export interface StructureMapGroupRule extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  source: StructureMapGroupRuleSource[];
  target?: StructureMapGroupRuleTarget[] | undefined;
  rule?: StructureMapGroupRule[] | undefined;
  dependent?: StructureMapGroupRuleDependent[] | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
}

export interface StructureMapGroup extends BackboneElement {
  name?: string | undefined;
  _name?: Element | undefined;
  extends?: string | undefined;
  _extends?: Element | undefined;
  typeMode?: ('none'|'types'|'type-and-types') | undefined;
  _typeMode?: Element | undefined;
  documentation?: string | undefined;
  _documentation?: Element | undefined;
  input: StructureMapGroupInput[];
  rule: StructureMapGroupRule[];
}

export interface Task extends DomainResource {
  readonly resourceType: 'Task';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: string | undefined;
  _instantiatesCanonical?: Element | undefined;
  instantiatesUri?: string | undefined;
  _instantiatesUri?: Element | undefined;
  basedOn?: Reference[] | undefined;
  groupIdentifier?: Identifier | undefined;
  partOf?: Reference[] | undefined;
  status?: ('draft'|'requested'|'received'|'accepted'|'rejected'|'ready'|'cancelled'|'in-progress'|'on-hold'|'failed'|'completed'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  businessStatus?: CodeableConcept | undefined;
  intent?: ('unknown'|'proposal'|'plan'|'order'|'original-order'|'reflex-order'|'filler-order'|'instance-order'|'option') | undefined;
  _intent?: Element | undefined;
  priority?: ('routine'|'urgent'|'asap'|'stat') | undefined;
  _priority?: Element | undefined;
  code?: CodeableConcept | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  focus?: Reference | undefined;
  for?: Reference | undefined;
  encounter?: Reference | undefined;
  executionPeriod?: Period | undefined;
  authoredOn?: string | undefined;
  _authoredOn?: Element | undefined;
  lastModified?: string | undefined;
  _lastModified?: Element | undefined;
  requester?: Reference | undefined;
  performerType?: CodeableConcept[] | undefined;
  owner?: Reference | undefined;
  location?: Reference | undefined;
  reasonCode?: CodeableConcept | undefined;
  reasonReference?: Reference | undefined;
  insurance?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  relevantHistory?: Reference[] | undefined;
  restriction?: TaskRestriction | undefined;
  input?: TaskInput[] | undefined;
  output?: TaskOutput[] | undefined;
}

export interface TaskRestriction extends BackboneElement {
  repetitions?: number | undefined;
  _repetitions?: Element | undefined;
  period?: Period | undefined;
  recipient?: Reference[] | undefined;
}

export interface TaskInput extends BackboneElement {
  type: CodeableConcept;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueCanonical?: string | undefined;
  _valueCanonical?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueId?: string | undefined;
  _valueId?: Element | undefined;
  valueInstant?: string | undefined;
  _valueInstant?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueMarkdown?: string | undefined;
  _valueMarkdown?: Element | undefined;
  valueOid?: string | undefined;
  _valueOid?: Element | undefined;
  valuePositiveInt?: number | undefined;
  _valuePositiveInt?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueUnsignedInt?: number | undefined;
  _valueUnsignedInt?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueUrl?: string | undefined;
  _valueUrl?: Element | undefined;
  valueUuid?: string | undefined;
  _valueUuid?: Element | undefined;
  valueAddress?: Address | undefined;
  valueAge?: Age | undefined;
  valueAnnotation?: Annotation | undefined;
  valueAttachment?: Attachment | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueCoding?: Coding | undefined;
  valueContactPoint?: ContactPoint | undefined;
  valueCount?: Count | undefined;
  valueDistance?: Distance | undefined;
  valueDuration?: Duration | undefined;
  valueHumanName?: HumanName | undefined;
  valueIdentifier?: Identifier | undefined;
  valueMoney?: Money | undefined;
  valuePeriod?: Period | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueReference?: Reference | undefined;
  valueSampledData?: SampledData | undefined;
  valueSignature?: Signature | undefined;
  valueTiming?: Timing | undefined;
  valueContactDetail?: ContactDetail | undefined;
  valueContributor?: Contributor | undefined;
  valueDataRequirement?: DataRequirement | undefined;
  valueExpression?: Expression | undefined;
  valueParameterDefinition?: ParameterDefinition | undefined;
  valueRelatedArtifact?: RelatedArtifact | undefined;
  valueTriggerDefinition?: TriggerDefinition | undefined;
  valueUsageContext?: UsageContext | undefined;
  valueDosage?: Dosage | undefined;
  valueMeta?: Meta | undefined;
}

export interface TaskOutput extends BackboneElement {
  type: CodeableConcept;
  valueBase64Binary?: string | undefined;
  _valueBase64Binary?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueCanonical?: string | undefined;
  _valueCanonical?: Element | undefined;
  valueCode?: string | undefined;
  _valueCode?: Element | undefined;
  valueDate?: string | undefined;
  _valueDate?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valueDecimal?: number | undefined;
  _valueDecimal?: Element | undefined;
  valueId?: string | undefined;
  _valueId?: Element | undefined;
  valueInstant?: string | undefined;
  _valueInstant?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueMarkdown?: string | undefined;
  _valueMarkdown?: Element | undefined;
  valueOid?: string | undefined;
  _valueOid?: Element | undefined;
  valuePositiveInt?: number | undefined;
  _valuePositiveInt?: Element | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueUnsignedInt?: number | undefined;
  _valueUnsignedInt?: Element | undefined;
  valueUri?: string | undefined;
  _valueUri?: Element | undefined;
  valueUrl?: string | undefined;
  _valueUrl?: Element | undefined;
  valueUuid?: string | undefined;
  _valueUuid?: Element | undefined;
  valueAddress?: Address | undefined;
  valueAge?: Age | undefined;
  valueAnnotation?: Annotation | undefined;
  valueAttachment?: Attachment | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueCoding?: Coding | undefined;
  valueContactPoint?: ContactPoint | undefined;
  valueCount?: Count | undefined;
  valueDistance?: Distance | undefined;
  valueDuration?: Duration | undefined;
  valueHumanName?: HumanName | undefined;
  valueIdentifier?: Identifier | undefined;
  valueMoney?: Money | undefined;
  valuePeriod?: Period | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueReference?: Reference | undefined;
  valueSampledData?: SampledData | undefined;
  valueSignature?: Signature | undefined;
  valueTiming?: Timing | undefined;
  valueContactDetail?: ContactDetail | undefined;
  valueContributor?: Contributor | undefined;
  valueDataRequirement?: DataRequirement | undefined;
  valueExpression?: Expression | undefined;
  valueParameterDefinition?: ParameterDefinition | undefined;
  valueRelatedArtifact?: RelatedArtifact | undefined;
  valueTriggerDefinition?: TriggerDefinition | undefined;
  valueUsageContext?: UsageContext | undefined;
  valueDosage?: Dosage | undefined;
  valueMeta?: Meta | undefined;
}

export interface Practitioner extends DomainResource {
  readonly resourceType: 'Practitioner';
  identifier?: Identifier[] | undefined;
  active?: boolean | undefined;
  _active?: Element | undefined;
  name?: HumanName[] | undefined;
  telecom?: ContactPoint[] | undefined;
  address?: Address[] | undefined;
  gender?: ('male'|'female'|'other'|'unknown') | undefined;
  _gender?: Element | undefined;
  birthDate?: string | undefined;
  _birthDate?: Element | undefined;
  photo?: Attachment[] | undefined;
  qualification?: PractitionerQualification[] | undefined;
  communication?: CodeableConcept[] | undefined;
}

export interface PractitionerQualification extends BackboneElement {
  identifier?: Identifier[] | undefined;
  code: CodeableConcept;
  period?: Period | undefined;
  issuer?: Reference | undefined;
}

export interface Quantity extends Element {
  value?: number | undefined;
  _value?: Element | undefined;
  comparator?: ('<'|'<='|'>='|'>') | undefined;
  _comparator?: Element | undefined;
  unit?: string | undefined;
  _unit?: Element | undefined;
  system?: string | undefined;
  _system?: Element | undefined;
  code?: string | undefined;
  _code?: Element | undefined;
}

export interface MedicinalProductContraindication extends DomainResource {
  readonly resourceType: 'MedicinalProductContraindication';
  subject?: Reference[] | undefined;
  disease?: CodeableConcept | undefined;
  diseaseStatus?: CodeableConcept | undefined;
  comorbidity?: CodeableConcept[] | undefined;
  therapeuticIndication?: Reference[] | undefined;
  otherTherapy?: MedicinalProductContraindicationOtherTherapy[] | undefined;
  population?: Population[] | undefined;
}

export interface MedicinalProductContraindicationOtherTherapy extends BackboneElement {
  therapyRelationshipType: CodeableConcept;
  medicationCodeableConcept?: CodeableConcept | undefined;
  medicationReference?: Reference | undefined;
}

export interface MoneyQuantity extends Quantity {
}

export interface Observation extends DomainResource {
  readonly resourceType: 'Observation';
  identifier?: Identifier[] | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('registered'|'preliminary'|'final'|'amended'|'corrected'|'cancelled'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  code: CodeableConcept;
  subject?: Reference | undefined;
  focus?: Reference[] | undefined;
  encounter?: Reference | undefined;
  effectiveDateTime?: string | undefined;
  _effectiveDateTime?: Element | undefined;
  effectivePeriod?: Period | undefined;
  effectiveTiming?: Timing | undefined;
  effectiveInstant?: string | undefined;
  _effectiveInstant?: Element | undefined;
  issued?: string | undefined;
  _issued?: Element | undefined;
  performer?: Reference[] | undefined;
  valueQuantity?: Quantity | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueSampledData?: SampledData | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valuePeriod?: Period | undefined;
  dataAbsentReason?: CodeableConcept | undefined;
  interpretation?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
  bodySite?: CodeableConcept | undefined;
  method?: CodeableConcept | undefined;
  specimen?: Reference | undefined;
  device?: Reference | undefined;
  referenceRange?: ObservationReferenceRange[] | undefined;
  hasMember?: Reference[] | undefined;
  derivedFrom?: Reference[] | undefined;
  component?: ObservationComponent[] | undefined;
}

export interface ObservationReferenceRange extends BackboneElement {
  low?: Quantity | undefined;
  high?: Quantity | undefined;
  type?: CodeableConcept | undefined;
  appliesTo?: CodeableConcept[] | undefined;
  age?: Range | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
}

export interface ObservationComponent extends BackboneElement {
  code: CodeableConcept;
  valueQuantity?: Quantity | undefined;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueString?: string | undefined;
  _valueString?: Element | undefined;
  valueBoolean?: boolean | undefined;
  _valueBoolean?: Element | undefined;
  valueInteger?: number | undefined;
  _valueInteger?: Element | undefined;
  valueRange?: Range | undefined;
  valueRatio?: Ratio | undefined;
  valueSampledData?: SampledData | undefined;
  valueTime?: string | undefined;
  _valueTime?: Element | undefined;
  valueDateTime?: string | undefined;
  _valueDateTime?: Element | undefined;
  valuePeriod?: Period | undefined;
  dataAbsentReason?: CodeableConcept | undefined;
  interpretation?: CodeableConcept[] | undefined;
  referenceRange?: ObservationReferenceRange[] | undefined;
}

export interface DocumentReference extends DomainResource {
  readonly resourceType: 'DocumentReference';
  masterIdentifier?: Identifier | undefined;
  identifier?: Identifier[] | undefined;
  status?: ('current'|'superseded'|'entered-in-error') | undefined;
  _status?: Element | undefined;
  docStatus?: ('preliminary'|'final'|'amended'|'entered-in-error') | undefined;
  _docStatus?: Element | undefined;
  type?: CodeableConcept | undefined;
  category?: CodeableConcept[] | undefined;
  subject?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  author?: Reference[] | undefined;
  authenticator?: Reference | undefined;
  custodian?: Reference | undefined;
  relatesTo?: DocumentReferenceRelatesTo[] | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  securityLabel?: CodeableConcept[] | undefined;
  content: DocumentReferenceContent[];
  context?: DocumentReferenceContext | undefined;
}

export interface DocumentReferenceRelatesTo extends BackboneElement {
  code?: ('replaces'|'transforms'|'signs'|'appends') | undefined;
  _code?: Element | undefined;
  target: Reference;
}

export interface DocumentReferenceContent extends BackboneElement {
  attachment: Attachment;
  format?: Coding | undefined;
}

export interface DocumentReferenceContext extends BackboneElement {
  encounter?: Reference[] | undefined;
  event?: CodeableConcept[] | undefined;
  period?: Period | undefined;
  facilityType?: CodeableConcept | undefined;
  practiceSetting?: CodeableConcept | undefined;
  sourcePatientInfo?: Reference | undefined;
  related?: Reference[] | undefined;
}

export interface OperationOutcome extends DomainResource {
  readonly resourceType: 'OperationOutcome';
  issue: OperationOutcomeIssue[];
}

export interface OperationOutcomeIssue extends BackboneElement {
  severity?: ('fatal'|'error'|'warning'|'information') | undefined;
  _severity?: Element | undefined;
  code?: ('invalid'|'structure'|'required'|'value'|'invariant'|'security'|'login'|'unknown'|'expired'|'forbidden'|'suppressed'|'processing'|'not-supported'|'duplicate'|'multiple-matches'|'not-found'|'deleted'|'too-long'|'code-invalid'|'extension'|'too-costly'|'business-rule'|'conflict'|'transient'|'lock-error'|'no-store'|'exception'|'timeout'|'incomplete'|'throttled'|'informational') | undefined;
  _code?: Element | undefined;
  details?: CodeableConcept | undefined;
  diagnostics?: string | undefined;
  _diagnostics?: Element | undefined;
  location?: (string | null)[] | undefined;
  _location?: (Element | null)[] | undefined;
  expression?: (string | null)[] | undefined;
  _expression?: (Element | null)[] | undefined;
}

export interface Address extends Element {
  use?: ('home'|'work'|'temp'|'old'|'billing') | undefined;
  _use?: Element | undefined;
  type?: ('postal'|'physical'|'both') | undefined;
  _type?: Element | undefined;
  text?: string | undefined;
  _text?: Element | undefined;
  line?: (string | null)[] | undefined;
  _line?: (Element | null)[] | undefined;
  city?: string | undefined;
  _city?: Element | undefined;
  district?: string | undefined;
  _district?: Element | undefined;
  state?: string | undefined;
  _state?: Element | undefined;
  postalCode?: string | undefined;
  _postalCode?: Element | undefined;
  country?: string | undefined;
  _country?: Element | undefined;
  period?: Period | undefined;
}

export interface MedicationDispense extends DomainResource {
  readonly resourceType: 'MedicationDispense';
  identifier?: Identifier[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('preparation'|'in-progress'|'cancelled'|'on-hold'|'completed'|'entered-in-error'|'stopped'|'declined'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReasonCodeableConcept?: CodeableConcept | undefined;
  statusReasonReference?: Reference | undefined;
  category?: CodeableConcept | undefined;
  medicationCodeableConcept?: CodeableConcept | undefined;
  medicationReference?: Reference | undefined;
  subject?: Reference | undefined;
  context?: Reference | undefined;
  supportingInformation?: Reference[] | undefined;
  performer?: MedicationDispensePerformer[] | undefined;
  location?: Reference | undefined;
  authorizingPrescription?: Reference[] | undefined;
  type?: CodeableConcept | undefined;
  quantity?: Quantity | undefined;
  daysSupply?: Quantity | undefined;
  whenPrepared?: string | undefined;
  _whenPrepared?: Element | undefined;
  whenHandedOver?: string | undefined;
  _whenHandedOver?: Element | undefined;
  destination?: Reference | undefined;
  receiver?: Reference[] | undefined;
  note?: Annotation[] | undefined;
  dosageInstruction?: Dosage[] | undefined;
  substitution?: MedicationDispenseSubstitution | undefined;
  detectedIssue?: Reference[] | undefined;
  eventHistory?: Reference[] | undefined;
}

export interface MedicationDispensePerformer extends BackboneElement {
  function?: CodeableConcept | undefined;
  actor: Reference;
}

export interface MedicationDispenseSubstitution extends BackboneElement {
  wasSubstituted?: boolean | undefined;
  _wasSubstituted?: Element | undefined;
  type?: CodeableConcept | undefined;
  reason?: CodeableConcept[] | undefined;
  responsibleParty?: Reference[] | undefined;
}

export interface Account extends DomainResource {
  readonly resourceType: 'Account';
  identifier?: Identifier[] | undefined;
  status?: ('active'|'inactive'|'entered-in-error'|'on-hold'|'unknown') | undefined;
  _status?: Element | undefined;
  type?: CodeableConcept | undefined;
  name?: string | undefined;
  _name?: Element | undefined;
  subject?: Reference[] | undefined;
  servicePeriod?: Period | undefined;
  coverage?: AccountCoverage[] | undefined;
  owner?: Reference | undefined;
  description?: string | undefined;
  _description?: Element | undefined;
  guarantor?: AccountGuarantor[] | undefined;
  partOf?: Reference | undefined;
}

export interface AccountCoverage extends BackboneElement {
  coverage: Reference;
  priority?: number | undefined;
  _priority?: Element | undefined;
}

export interface AccountGuarantor extends BackboneElement {
  party: Reference;
  onHold?: boolean | undefined;
  _onHold?: Element | undefined;
  period?: Period | undefined;
}

export interface Procedure extends DomainResource {
  readonly resourceType: 'Procedure';
  identifier?: Identifier[] | undefined;
  instantiatesCanonical?: (string | null)[] | undefined;
  _instantiatesCanonical?: (Element | null)[] | undefined;
  instantiatesUri?: (string | null)[] | undefined;
  _instantiatesUri?: (Element | null)[] | undefined;
  basedOn?: Reference[] | undefined;
  partOf?: Reference[] | undefined;
  status?: ('preparation'|'in-progress'|'not-done'|'on-hold'|'stopped'|'completed'|'entered-in-error'|'unknown') | undefined;
  _status?: Element | undefined;
  statusReason?: CodeableConcept | undefined;
  category?: CodeableConcept | undefined;
  code?: CodeableConcept | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  performedDateTime?: string | undefined;
  _performedDateTime?: Element | undefined;
  performedPeriod?: Period | undefined;
  performedString?: string | undefined;
  _performedString?: Element | undefined;
  performedAge?: Age | undefined;
  performedRange?: Range | undefined;
  recorder?: Reference | undefined;
  asserter?: Reference | undefined;
  performer?: ProcedurePerformer[] | undefined;
  location?: Reference | undefined;
  reasonCode?: CodeableConcept[] | undefined;
  reasonReference?: Reference[] | undefined;
  bodySite?: CodeableConcept[] | undefined;
  outcome?: CodeableConcept | undefined;
  report?: Reference[] | undefined;
  complication?: CodeableConcept[] | undefined;
  complicationDetail?: Reference[] | undefined;
  followUp?: CodeableConcept[] | undefined;
  note?: Annotation[] | undefined;
  focalDevice?: ProcedureFocalDevice[] | undefined;
  usedReference?: Reference[] | undefined;
  usedCode?: CodeableConcept[] | undefined;
}

export interface ProcedurePerformer extends BackboneElement {
  function?: CodeableConcept | undefined;
  actor: Reference;
  onBehalfOf?: Reference | undefined;
}

export interface ProcedureFocalDevice extends BackboneElement {
  action?: CodeableConcept | undefined;
  manipulated: Reference;
}

export interface SubstanceProtein extends DomainResource {
  readonly resourceType: 'SubstanceProtein';
  sequenceType?: CodeableConcept | undefined;
  numberOfSubunits?: number | undefined;
  _numberOfSubunits?: Element | undefined;
  disulfideLinkage?: (string | null)[] | undefined;
  _disulfideLinkage?: (Element | null)[] | undefined;
  subunit?: SubstanceProteinSubunit[] | undefined;
}

export interface SubstanceProteinSubunit extends BackboneElement {
  subunit?: number | undefined;
  _subunit?: Element | undefined;
  sequence?: string | undefined;
  _sequence?: Element | undefined;
  length?: number | undefined;
  _length?: Element | undefined;
  sequenceAttachment?: Attachment | undefined;
  nTerminalModificationId?: Identifier | undefined;
  nTerminalModification?: string | undefined;
  _nTerminalModification?: Element | undefined;
  cTerminalModificationId?: Identifier | undefined;
  cTerminalModification?: string | undefined;
  _cTerminalModification?: Element | undefined;
}

export interface UsageContext extends Element {
  code: Coding;
  valueCodeableConcept?: CodeableConcept | undefined;
  valueQuantity?: Quantity | undefined;
  valueRange?: Range | undefined;
  valueReference?: Reference | undefined;
}

export interface MedicinalProductAuthorization extends DomainResource {
  readonly resourceType: 'MedicinalProductAuthorization';
  identifier?: Identifier[] | undefined;
  subject?: Reference | undefined;
  country?: CodeableConcept[] | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  status?: CodeableConcept | undefined;
  statusDate?: string | undefined;
  _statusDate?: Element | undefined;
  restoreDate?: string | undefined;
  _restoreDate?: Element | undefined;
  validityPeriod?: Period | undefined;
  dataExclusivityPeriod?: Period | undefined;
  dateOfFirstAuthorization?: string | undefined;
  _dateOfFirstAuthorization?: Element | undefined;
  internationalBirthDate?: string | undefined;
  _internationalBirthDate?: Element | undefined;
  legalBasis?: CodeableConcept | undefined;
  jurisdictionalAuthorization?: MedicinalProductAuthorizationJurisdictionalAuthorization[] | undefined;
  holder?: Reference | undefined;
  regulator?: Reference | undefined;
  procedure?: MedicinalProductAuthorizationProcedure | undefined;
}

export interface MedicinalProductAuthorizationJurisdictionalAuthorization extends BackboneElement {
  identifier?: Identifier[] | undefined;
  country?: CodeableConcept | undefined;
  jurisdiction?: CodeableConcept[] | undefined;
  legalStatusOfSupply?: CodeableConcept | undefined;
  validityPeriod?: Period | undefined;
}

export interface MedicinalProductAuthorizationProcedure extends BackboneElement {
  identifier?: Identifier | undefined;
  type: CodeableConcept;
  datePeriod?: Period | undefined;
  dateDateTime?: string | undefined;
  _dateDateTime?: Element | undefined;
  application?: MedicinalProductAuthorizationProcedure[] | undefined;
}

export interface AdverseEvent extends DomainResource {
  readonly resourceType: 'AdverseEvent';
  identifier?: Identifier | undefined;
  actuality?: ('actual'|'potential') | undefined;
  _actuality?: Element | undefined;
  category?: CodeableConcept[] | undefined;
  event?: CodeableConcept | undefined;
  subject: Reference;
  encounter?: Reference | undefined;
  date?: string | undefined;
  _date?: Element | undefined;
  detected?: string | undefined;
  _detected?: Element | undefined;
  recordedDate?: string | undefined;
  _recordedDate?: Element | undefined;
  resultingCondition?: Reference[] | undefined;
  location?: Reference | undefined;
  seriousness?: CodeableConcept | undefined;
  severity?: CodeableConcept | undefined;
  outcome?: CodeableConcept | undefined;
  recorder?: Reference | undefined;
  contributor?: Reference[] | undefined;
  suspectEntity?: AdverseEventSuspectEntity[] | undefined;
  subjectMedicalHistory?: Reference[] | undefined;
  referenceDocument?: Reference[] | undefined;
  study?: Reference[] | undefined;
}

export interface AdverseEventSuspectEntityCausality extends BackboneElement {
  assessment?: CodeableConcept | undefined;
  productRelatedness?: string | undefined;
  _productRelatedness?: Element | undefined;
  author?: Reference | undefined;
  method?: CodeableConcept | undefined;
}

export interface AdverseEventSuspectEntity extends BackboneElement {
  instance: Reference;
  causality?: AdverseEventSuspectEntityCausality[] | undefined;
}

export type FhirResource =
  SubstanceSpecification |
  DeviceUseStatement |
  BodyStructure |
  ExampleScenario |
  Appointment |
  Condition |
  List |
  ChargeItem |
  VerificationResult |
  MedicinalProductUndesirableEffect |
  Media |
  SupplyDelivery |
  Composition |
  Encounter |
  MedicationAdministration |
  DocumentManifest |
  Claim |
  DeviceMetric |
  AuditEvent |
  ServiceRequest |
  EventDefinition |
  CarePlan |
  Linkage |
  CoverageEligibilityResponse |
  QuestionnaireResponse |
  Location |
  InsurancePlan |
  Measure |
  EffectEvidenceSynthesis |
  ActivityDefinition |
  OrganizationAffiliation |
  EpisodeOfCare |
  DeviceRequest |
  MedicinalProductManufactured |
  CapabilityStatement |
  Endpoint |
  SubstancePolymer |
  Substance |
  CatalogEntry |
  Group |
  ImagingStudy |
  SubstanceNucleicAcid |
  Organization |
  MolecularSequence |
  ChargeItemDefinition |
  Questionnaire |
  TestScript |
  ResearchStudy |
  PractitionerRole |
  TestReport |
  MeasureReport |
  SubstanceSourceMaterial |
  SupplyRequest |
  Provenance |
  Binary |
  RiskAssessment |
  Parameters |
  HealthcareService |
  RelatedPerson |
  Evidence |
  Basic |
  NamingSystem |
  VisionPrescription |
  EnrollmentRequest |
  Flag |
  ExplanationOfBenefit |
  Patient |
  MedicinalProduct |
  Specimen |
  FamilyMemberHistory |
  ResearchElementDefinition |
  OperationDefinition |
  MedicinalProductIndication |
  GraphDefinition |
  Medication |
  DiagnosticReport |
  AppointmentResponse |
  RequestGroup |
  MessageHeader |
  DeviceDefinition |
  Goal |
  ObservationDefinition |
  Immunization |
  ValueSet |
  ClaimResponse |
  Contract |
  BiologicallyDerivedProduct |
  TerminologyCapabilities |
  SpecimenDefinition |
  MedicinalProductIngredient |
  ConceptMap |
  Invoice |
  StructureDefinition |
  CommunicationRequest |
  MedicinalProductInteraction |
  PaymentNotice |
  GuidanceResponse |
  RiskEvidenceSynthesis |
  MedicinalProductPackaged |
  DetectedIssue |
  ResearchDefinition |
  MedicinalProductPharmaceutical |
  EvidenceVariable |
  Bundle |
  MessageDefinition |
  ImplementationGuide |
  NutritionOrder |
  EnrollmentResponse |
  CoverageEligibilityRequest |
  CodeSystem |
  MedicationRequest |
  ImmunizationRecommendation |
  Slot |
  CompartmentDefinition |
  Coverage |
  PaymentReconciliation |
  MedicationKnowledge |
  SubstanceReferenceInformation |
  ImmunizationEvaluation |
  SearchParameter |
  MedicationStatement |
  Schedule |
  Person |
  AllergyIntolerance |
  PlanDefinition |
  ResearchSubject |
  ClinicalImpression |
  Subscription |
  CareTeam |
  Device |
  Consent |
  Communication |
  Library |
  StructureMap |
  Task |
  Practitioner |
  MedicinalProductContraindication |
  Observation |
  DocumentReference |
  OperationOutcome |
  MedicationDispense |
  Account |
  Procedure |
  SubstanceProtein |
  MedicinalProductAuthorization |
  AdverseEvent;
