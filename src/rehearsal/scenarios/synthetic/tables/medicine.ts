/**
 * Conditions, medications, vaccines and procedures. Codes are from free systems: ICD-10-CM, RxNorm, CVX, ICD-10-PCS and HCPCS.
 * Prevalences are roughly those of the United States; treatment is simplified from common guidelines, and is no advice.
 */
import type { Range } from '../random.ts'

export interface Code {
  readonly code: string
  readonly display: string
}

/** A medication by its RxNorm code, and how it is taken. */
export interface Medication extends Code {
  readonly dosage: string
  /** Doses in a day. */
  readonly perDay?: number
  /** Ids of allergies that forbid it. */
  readonly allergies?: readonly string[]
  /** Number of days that a course lasts; absent: until it is changed. */
  readonly days?: number
}

const ONCE = { dosage: 'Take 1 tablet by mouth once daily', perDay: 1 }
const TWICE = { dosage: 'Take 1 tablet by mouth twice daily', perDay: 2 }

/** https://mor.nlm.nih.gov/RxNav/ */
export const MEDICATIONS = {
  acetaminophen: {
    ...{ code: '198440', display: 'acetaminophen 500 MG Oral Tablet', days: 5 },
    dosage: 'Take 1 tablet by mouth every 6 hours as needed',
  },
  albuterol: {
    ...{ code: '745679', display: '200 ACTUAT albuterol 0.09 MG/ACTUAT Metered Dose Inhaler' },
    dosage: 'Inhale 2 puffs every 4 to 6 hours as needed',
  },
  amlodipine5: { code: '197361', display: 'amlodipine 5 MG Oral Tablet', ...ONCE },
  amoxicillin: {
    ...{ code: '308191', display: 'amoxicillin 500 MG Oral Capsule', days: 10, allergies: ['amoxicillin'] },
    ...{ dosage: 'Take 1 capsule by mouth three times daily for 10 days', perDay: 3 },
  },
  apixaban: { code: '1364445', display: 'apixaban 5 MG Oral Tablet', ...TWICE },
  atorvastatin20: { code: '617310', display: 'atorvastatin 20 MG Oral Tablet', ...ONCE },
  atorvastatin40: { code: '617311', display: 'atorvastatin 40 MG Oral Tablet', ...ONCE },
  azithromycin: {
    ...{ code: '308460', display: 'azithromycin 250 MG Oral Tablet', days: 5 },
    dosage: 'Take 2 tablets by mouth on the first day, then 1 tablet once daily for 4 days',
  },
  cetirizine: { code: '1014678', display: 'cetirizine hydrochloride 10 MG Oral Tablet', ...ONCE },
  fluoxetine: {
    ...{ code: '310385', display: 'fluoxetine 20 MG Oral Capsule' },
    ...{ dosage: 'Take 1 capsule by mouth once daily', perDay: 1 },
  },
  glipizide: { code: '310490', display: 'glipizide 5 MG Oral Tablet', ...ONCE },
  ibuprofen: {
    ...{ code: '197806', display: 'ibuprofen 600 MG Oral Tablet', days: 7, allergies: ['ibuprofen', 'aspirin'] },
    dosage: 'Take 1 tablet by mouth every 8 hours with food as needed',
  },
  levothyroxine: {
    ...{ code: '10582', display: 'levothyroxine' },
    ...{ dosage: 'Take 50 micrograms by mouth once daily before breakfast', perDay: 1 },
  },
  lisinopril10: { code: '314076', display: 'lisinopril 10 MG Oral Tablet', ...ONCE },
  lisinopril20: { code: '314077', display: 'lisinopril 20 MG Oral Tablet', ...ONCE },
  metformin500: { code: '861007', display: 'metformin hydrochloride 500 MG Oral Tablet', ...TWICE },
  metformin1000: { code: '861004', display: 'metformin hydrochloride 1000 MG Oral Tablet', ...TWICE },
  metoprolol: { code: '866514', display: 'metoprolol tartrate 50 MG Oral Tablet', ...TWICE },
  omeprazole: {
    ...{ code: '198051', display: 'omeprazole 20 MG Delayed Release Oral Capsule' },
    ...{ dosage: 'Take 1 capsule by mouth once daily before breakfast', perDay: 1 },
  },
  sertraline: { code: '312941', display: 'sertraline 50 MG Oral Tablet', ...ONCE },
} as const satisfies Readonly<Record<string, Medication>>

export type MedicationId = keyof typeof MEDICATIONS

/** A value that treatment brings down, in the unit of its test. */
export type Measure = 'hba1c' | 'systolic' | 'ldl' | 'tsh'

/** The steps of a treatment: each is prescribed while the measure is above the goal. */
export interface Treatment {
  readonly measure: Measure
  readonly untreated: Range
  readonly goal: number
  readonly steps: readonly TreatmentStep[]
}

export interface TreatmentStep {
  readonly medication: MedicationId
  /** By how much the measure comes down, for somebody of average response. */
  readonly lowers: number
  /** Whether it takes the place of the step before. */
  readonly replaces?: true
}

export interface ChronicCondition extends Code {
  readonly id: string
  /** Age at which it begins, in years. */
  readonly onset: Range
  /** The probability of those who live through all of `onset`. */
  readonly share: number
  /** How many times likelier it is with another condition, which stands above it in the table. */
  readonly likelier?: { readonly with: string; readonly times: number }
  readonly gender?: 'female' | 'male'
  /** Working days between two visits for it; absent: it needs none. */
  readonly followUp?: Range
  readonly treatment?: Treatment
  /** Prescribed as long as it lasts, beside its treatment. */
  readonly medication?: MedicationId
}

/** https://www.cms.gov/medicare/coding-billing/icd-10-codes; prevalences: https://www.cdc.gov/nchs/ */
export const CHRONIC: readonly ChronicCondition[] = [
  { id: 'obesity', code: 'E66.9', display: 'Obesity, unspecified', onset: [16, 60], share: 0.38 },
  {
    ...{ id: 'hypertension', code: 'I10', display: 'Essential (primary) hypertension', onset: [30, 78], share: 0.68 },
    likelier: { with: 'obesity', times: 1.25 },
    followUp: [125, 190],
    treatment: {
      measure: 'systolic',
      untreated: [148, 172],
      goal: 138,
      steps: [
        { medication: 'lisinopril10', lowers: 12 },
        { medication: 'lisinopril20', lowers: 9, replaces: true },
        { medication: 'amlodipine5', lowers: 12 },
      ],
    },
  },
  {
    ...{ id: 'diabetes', code: 'E11.9', display: 'Type 2 diabetes mellitus without complications' },
    ...{ onset: [32, 78], share: 0.2, likelier: { with: 'obesity', times: 1.9 } },
    followUp: [75, 110],
    treatment: {
      measure: 'hba1c',
      untreated: [7.9, 10.2],
      goal: 7.2,
      steps: [
        { medication: 'metformin500', lowers: 0.9 },
        { medication: 'metformin1000', lowers: 0.8, replaces: true },
        { medication: 'glipizide', lowers: 0.9 },
      ],
    },
  },
  {
    ...{ id: 'hyperlipidemia', code: 'E78.5', display: 'Hyperlipidemia, unspecified', onset: [35, 75], share: 0.45 },
    likelier: { with: 'diabetes', times: 1.4 },
    followUp: [220, 260],
    treatment: {
      measure: 'ldl',
      untreated: [150, 195],
      goal: 100,
      steps: [
        { medication: 'atorvastatin20', lowers: 58 },
        { medication: 'atorvastatin40', lowers: 18, replaces: true },
      ],
    },
  },
  {
    ...{ id: 'hypothyroidism', code: 'E03.9', display: 'Hypothyroidism, unspecified', onset: [25, 75], share: 0.08 },
    followUp: [220, 260],
    treatment: {
      ...{ measure: 'tsh', untreated: [7, 11], goal: 4.5 },
      steps: [{ medication: 'levothyroxine', lowers: 5 }],
    },
  },
  {
    ...{ id: 'asthma', code: 'J45.909', display: 'Unspecified asthma, uncomplicated', onset: [4, 35], share: 0.09 },
    medication: 'albuterol',
  },
  {
    ...{ id: 'rhinitis', code: 'J30.9', display: 'Allergic rhinitis, unspecified', onset: [6, 40], share: 0.12 },
    medication: 'cetirizine',
  },
  {
    ...{ id: 'reflux', code: 'K21.9', display: 'Gastro-esophageal reflux disease without esophagitis' },
    ...{ onset: [28, 75], share: 0.17, medication: 'omeprazole' },
  },
  {
    ...{ id: 'depression', code: 'F32.A', display: 'Depression, unspecified', onset: [16, 65], share: 0.1 },
    ...{ followUp: [130, 190], medication: 'sertraline' },
  },
  {
    ...{ id: 'anxiety', code: 'F41.1', display: 'Generalized anxiety disorder', onset: [16, 60], share: 0.06 },
    ...{ medication: 'fluoxetine' },
  },
  {
    ...{ id: 'fibrillation', code: 'I48.91', display: 'Unspecified atrial fibrillation', onset: [58, 88], share: 0.11 },
    ...{ followUp: [120, 160], medication: 'apixaban' },
  },
  {
    ...{ id: 'coronary', onset: [52, 85], share: 0.1, medication: 'metoprolol' },
    ...{ code: 'I25.10', likelier: { with: 'hypertension', times: 1.6 } },
    display: 'Atherosclerotic heart disease of native coronary artery without angina pectoris',
  },
  {
    ...{ id: 'osteoporosis', code: 'M81.0', onset: [60, 85], share: 0.22, gender: 'female' },
    display: 'Age-related osteoporosis without current pathological fracture',
  },
]

/** An illness that brings somebody to the clinic once. */
export interface AcuteCondition extends Code {
  readonly share: number
  readonly ages: Range
  readonly medications: readonly MedicationId[]
  readonly fever: boolean
  readonly complaint: string
}

export const ACUTE: readonly AcuteCondition[] = [
  {
    ...{ share: 30, code: 'J06.9', display: 'Acute upper respiratory infection, unspecified', ages: [0, 110] },
    ...{ medications: [], fever: true, complaint: 'Runny nose and cough for three days.' },
  },
  {
    ...{ share: 12, code: 'J02.9', display: 'Acute pharyngitis, unspecified', ages: [5, 70] },
    ...{ medications: ['amoxicillin', 'azithromycin'], fever: true, complaint: 'Sore throat since yesterday.' },
  },
  {
    ...{ share: 9, code: 'J01.90', display: 'Acute sinusitis, unspecified', ages: [14, 90] },
    ...{
      medications: ['amoxicillin', 'azithromycin'],
      fever: false,
      complaint: 'Pressure over the cheeks for ten days.',
    },
  },
  {
    ...{ share: 10, code: 'M54.50', display: 'Low back pain, unspecified', ages: [18, 95] },
    ...{ medications: ['ibuprofen', 'acetaminophen'], fever: false, complaint: 'Low back pain after lifting.' },
  },
  {
    ...{ share: 8, code: 'K52.9', display: 'Noninfective gastroenteritis and colitis, unspecified', ages: [1, 100] },
    ...{ medications: [], fever: false, complaint: 'Loose stools and cramps for two days.' },
  },
  {
    ...{ share: 6, code: 'R51.9', display: 'Headache, unspecified', ages: [10, 90] },
    ...{ medications: ['acetaminophen'], fever: false, complaint: 'Headache on and off for a week.' },
  },
  {
    ...{ share: 5, code: 'L30.9', display: 'Dermatitis, unspecified', ages: [0, 100] },
    ...{ medications: [], fever: false, complaint: 'Itchy rash on both forearms.' },
  },
]

/** The reason of visits that are not for an illness. */
export const CHECKUP_REASONS = {
  adult: { code: 'Z00.00', display: 'Encounter for general adult medical examination without abnormal findings' },
  child: { code: 'Z00.129', display: 'Encounter for routine child health examination without abnormal findings' },
} as const satisfies Readonly<Record<string, Code>>

export interface Allergy {
  readonly share: number
  readonly id: string
  /** By its RxNorm code; absent for food, which is named by text. */
  readonly code?: string
  readonly display: string
  readonly category: 'food' | 'medication'
  readonly reaction: string
}

export const ALLERGIES: readonly Allergy[] = [
  { share: 30, id: 'amoxicillin', code: '723', display: 'amoxicillin', category: 'medication', reaction: 'Rash' },
  { share: 12, id: 'codeine', code: '2670', display: 'codeine', category: 'medication', reaction: 'Nausea' },
  { share: 10, id: 'aspirin', code: '1191', display: 'aspirin', category: 'medication', reaction: 'Wheezing' },
  { share: 10, id: 'ibuprofen', code: '5640', display: 'ibuprofen', category: 'medication', reaction: 'Hives' },
  { share: 16, id: 'peanut', display: 'Peanut', category: 'food', reaction: 'Hives' },
  { share: 12, id: 'shellfish', display: 'Shellfish', category: 'food', reaction: 'Swelling of the lips' },
]

/** https://www2.cdc.gov/vaccines/iis/iisstandards/vaccines.asp?rpt=cvx; ages: https://www.cdc.gov/vaccines/hcp/imz-schedules/ */
export interface Vaccine extends Code {
  /** Ages in years at which it is due: one dose for each. */
  readonly due: readonly number[]
  /** Number of years within which a dose that is due is still given. */
  readonly late: number
  /** The probability that a dose that is due is given. */
  readonly share: number
}

export const VACCINES: readonly Vaccine[] = [
  { code: '08', display: 'Hep B, adolescent or pediatric', due: [0.1, 0.5], late: 0.8, share: 0.95 },
  { code: '20', display: 'DTaP', due: [0.15, 0.35, 0.5, 1.25, 4], late: 1, share: 0.94 },
  { code: '10', display: 'IPV', due: [0.15, 0.35, 0.8, 4], late: 1, share: 0.94 },
  { code: '03', display: 'MMR', due: [1, 4], late: 1.5, share: 0.93 },
  { code: '21', display: 'varicella', due: [1, 4], late: 1.5, share: 0.92 },
  { code: '115', display: 'Tdap', due: [11], late: 2, share: 0.9 },
  { code: '165', display: 'HPV9', due: [11, 11.6], late: 3, share: 0.75 },
  { code: '187', display: 'zoster recombinant', due: [50, 50.4], late: 20, share: 0.35 },
]

/** Given to anybody over six months, at most once in a year. */
export const INFLUENZA = { code: '140', display: 'Influenza, split virus, trivalent, PF', share: 0.3 } as const

export const PROCEDURE_SYSTEMS = {
  hcpcs: 'http://www.cms.gov/Medicare/Coding/HCPCSReleaseCodeSets',
  pcs: 'http://www.cms.gov/Medicare/Coding/ICD10',
} as const

/** A procedure that is done at a check-up. */
export interface CheckupProcedure extends Code {
  readonly system: keyof typeof PROCEDURE_SYSTEMS
  readonly ages: Range
  readonly gender?: 'female' | 'male'
  /** The probability at each check-up. */
  readonly share: number
}

export const PROCEDURES: readonly CheckupProcedure[] = [
  {
    ...{ system: 'pcs', code: '4A02X4Z', ages: [50, 95], share: 0.3 },
    display: 'Measurement of Cardiac Electrical Activity, External Approach',
  },
  {
    ...{ system: 'hcpcs', code: 'G0101', ages: [21, 65], gender: 'female', share: 0.35 },
    display: 'Cervical or vaginal cancer screening; pelvic and clinical breast examination',
  },
]
