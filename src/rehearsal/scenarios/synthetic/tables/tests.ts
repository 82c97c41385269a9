/** Vital signs and laboratory tests by their LOINC codes (https://loinc.org), units by UCUM, and the usual values. */
import type { Range } from '../random.ts'
import type { Code, Measure } from './medicine.ts'

export interface Test extends Code {
  /** As people write it. */
  readonly unit: string
  /** https://ucum.org */
  readonly ucum: string
  /** Digits behind the decimal point. */
  readonly digits: number
}

export interface LaboratoryTest extends Test {
  /** Values of healthy people. */
  readonly usual: Range
  readonly reference: { readonly low?: number; readonly high?: number }
  /** Where treatment brings it down. */
  readonly measure?: Measure
}

export interface Panel extends Code {
  readonly id: string
  readonly tests: readonly LaboratoryTest[]
}

const MG_DL = { unit: 'mg/dL', ucum: 'mg/dL', digits: 0 }
const MMOL_L = { unit: 'mmol/L', ucum: 'mmol/L', digits: 0 }

const HBA1C: LaboratoryTest = {
  ...{ code: '4548-4', display: 'Hemoglobin A1c/Hemoglobin.total in Blood', unit: '%', ucum: '%', digits: 1 },
  ...{ usual: [4.8, 5.6], reference: { low: 4, high: 5.6 }, measure: 'hba1c' },
}

const THYROTROPIN: LaboratoryTest = {
  ...{ code: '3016-3', display: 'Thyrotropin [Units/volume] in Serum or Plasma' },
  ...{ unit: 'mIU/L', ucum: 'm[IU]/L', digits: 2 },
  ...{ usual: [0.8, 3.6], reference: { low: 0.4, high: 4.5 }, measure: 'tsh' },
}

/** Total cholesterol comes last: it follows from the others, by the equation of Friedewald. */
const LIPIDS: readonly LaboratoryTest[] = [
  {
    ...{ code: '13457-7', display: 'Cholesterol in LDL [Mass/volume] in Serum or Plasma by calculation' },
    ...{ ...MG_DL, usual: [70, 125], reference: { high: 130 }, measure: 'ldl' },
  },
  {
    ...{ code: '2085-9', display: 'Cholesterol in HDL [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, usual: [42, 70], reference: { low: 40 } },
  },
  {
    ...{ code: '2571-8', display: 'Triglyceride [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, usual: [65, 170], reference: { high: 150 } },
  },
  {
    ...{ code: '2093-3', display: 'Cholesterol [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, usual: [130, 220], reference: { high: 200 } },
  },
]

const METABOLIC: readonly LaboratoryTest[] = [
  {
    ...{ code: '2345-7', display: 'Glucose [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, usual: [74, 99], reference: { low: 70, high: 99 } },
  },
  {
    ...{ code: '3094-0', display: 'Urea nitrogen [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, usual: [8, 20], reference: { low: 7, high: 20 } },
  },
  {
    ...{ code: '2160-0', display: 'Creatinine [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, digits: 2, usual: [0.65, 1.15], reference: { low: 0.6, high: 1.2 } },
  },
  {
    ...{ code: '17861-6', display: 'Calcium [Mass/volume] in Serum or Plasma' },
    ...{ ...MG_DL, digits: 1, usual: [8.7, 10.1], reference: { low: 8.6, high: 10.2 } },
  },
  {
    ...{ code: '2951-2', display: 'Sodium [Moles/volume] in Serum or Plasma' },
    ...{ ...MMOL_L, usual: [136, 144], reference: { low: 135, high: 145 } },
  },
  {
    ...{ code: '2823-3', display: 'Potassium [Moles/volume] in Serum or Plasma' },
    ...{ ...MMOL_L, digits: 1, usual: [3.6, 5], reference: { low: 3.5, high: 5.1 } },
  },
  {
    ...{ code: '2075-0', display: 'Chloride [Moles/volume] in Serum or Plasma' },
    ...{ ...MMOL_L, usual: [98, 107], reference: { low: 98, high: 107 } },
  },
  {
    ...{ code: '2028-9', display: 'Carbon dioxide, total [Moles/volume] in Serum or Plasma' },
    ...{ ...MMOL_L, usual: [22, 29], reference: { low: 22, high: 29 } },
  },
]

const BLOOD_COUNT: readonly LaboratoryTest[] = [
  {
    ...{ code: '6690-2', display: 'Leukocytes [#/volume] in Blood by Automated count' },
    ...{ unit: '10*3/uL', ucum: '10*3/uL', digits: 1, usual: [4.2, 10.4], reference: { low: 4, high: 11 } },
  },
  {
    ...{ code: '718-7', display: 'Hemoglobin [Mass/volume] in Blood' },
    ...{ unit: 'g/dL', ucum: 'g/dL', digits: 1, usual: [12.4, 16.2], reference: { low: 12, high: 17 } },
  },
  {
    ...{ code: '4544-3', display: 'Hematocrit [Volume Fraction] of Blood by Automated count' },
    ...{ unit: '%', ucum: '%', digits: 1, usual: [37, 48], reference: { low: 36, high: 50 } },
  },
  {
    ...{ code: '777-3', display: 'Platelets [#/volume] in Blood by Automated count' },
    ...{ unit: '10*3/uL', ucum: '10*3/uL', digits: 0, usual: [165, 390], reference: { low: 150, high: 400 } },
  },
]

/** A test that is ordered by itself is a panel of one, with its own code. */
const alone = (id: string, test: LaboratoryTest): Panel => ({
  ...{ id, code: test.code, display: test.display },
  tests: [test],
})

export const PANELS = {
  hba1c: alone('hba1c', HBA1C),
  thyroid: alone('thyroid', THYROTROPIN),
  lipids: { id: 'lipids', code: '24331-1', display: 'Lipid 1996 panel - Serum or Plasma', tests: LIPIDS },
  metabolic: {
    ...{ id: 'metabolic', code: '24321-2', display: 'Basic metabolic 2000 panel - Serum or Plasma' },
    tests: METABOLIC,
  },
  count: { id: 'count', code: '58410-2', display: 'CBC panel - Blood by Automated count', tests: BLOOD_COUNT },
} as const satisfies Readonly<Record<string, Panel>>

/** A vital sign of US Core: https://hl7.org/fhir/us/core/STU6.1/StructureDefinition-us-core-vital-signs.html */
export interface VitalSign extends Test {
  readonly id: string
  /** The last part of the address of its profile. */
  readonly profile: string
}

export const VITAL_SIGNS = {
  weight: {
    ...{ id: 'weight', profile: 'us-core-body-weight', code: '29463-7', display: 'Body weight' },
    ...{ unit: 'kg', ucum: 'kg', digits: 1 },
  },
  height: {
    ...{ id: 'height', profile: 'us-core-body-height', code: '8302-2', display: 'Body height' },
    ...{ unit: 'cm', ucum: 'cm', digits: 1 },
  },
  bmi: {
    ...{ id: 'bmi', profile: 'us-core-bmi', code: '39156-5', display: 'Body mass index (BMI) [Ratio]' },
    ...{ unit: 'kg/m2', ucum: 'kg/m2', digits: 1 },
  },
  temperature: {
    ...{ id: 'temperature', profile: 'us-core-body-temperature', code: '8310-5', display: 'Body temperature' },
    ...{ unit: 'Cel', ucum: 'Cel', digits: 1 },
  },
} as const satisfies Readonly<Record<string, VitalSign>>

export const BLOOD_PRESSURE = {
  ...{ profile: 'us-core-blood-pressure', code: '85354-9' },
  display: 'Blood pressure panel with all children optional',
  systolic: {
    ...{ code: '8480-6', display: 'Systolic blood pressure', unit: 'mmHg', ucum: 'mm[Hg]', digits: 0 },
  },
  diastolic: {
    ...{ code: '8462-4', display: 'Diastolic blood pressure', unit: 'mmHg', ucum: 'mm[Hg]', digits: 0 },
  },
} as const

/** Median height (cm) and weight (kg) of children by age in years: https://www.cdc.gov/growthcharts/ */
export const GROWTH: readonly (readonly [age: number, height: number, weight: number])[] = [
  ...([
    [0, 50, 3.4],
    [0.5, 67, 7.7],
    [1, 75, 9.8],
    [2, 87, 12.3],
    [3, 95, 14.3],
    [4, 102, 16.3],
  ] as const),
  ...([
    [6, 115, 20.7],
    [8, 128, 25.8],
    [10, 138, 32],
    [12, 149, 41],
    [14, 161, 50.5],
    [16, 168, 59],
  ] as const),
  ...([[18, 170, 64]] as const),
]

/** Average heights of adults, cm. */
export const ADULT_HEIGHT = { female: 162, male: 175.5 } as const
