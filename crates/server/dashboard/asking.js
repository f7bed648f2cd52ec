// The form that asks for a job. What can be asked, and in which words, is what the server says.
'use strict';

/* exported Asking */
class Asking {
  // `send` asks for a job and gives its number.
  constructor(form, send) {
    [this.form, this.send, this.offered] = [form, send, ''];
    this.descriptors = [];
    form.addEventListener('change', () => this.arrange());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  part(name) { return this.form.querySelector(`#${name}`); }

  // Offers these jobs; the same ones again change nothing of what was chosen.
  offer(descriptors) {
    const offered = JSON.stringify(descriptors);
    if (offered === this.offered) return;
    [this.offered, this.descriptors] = [offered, descriptors];
    this.part('questions').replaceChildren(...descriptors.map((one, at) => Asking.question(one, at === 0)));
    this.arrange();
  }

  static question({ job, question }, isFirst) {
    const [label, input, name] = ['label', 'input', 'code'].map((kind) => document.createElement(kind));
    Object.assign(input, { type: 'radio', name: 'job', value: job, checked: isFirst });
    name.textContent = job;
    label.append(input, ` ${question} `, name);
    return label;
  }

  get chosen() { return this.descriptors.find(({ job }) => job === new FormData(this.form).get('job')); }

  // Shows the fields that the chosen job has.
  arrange() {
    const { options = [], keys = [] } = this.chosen || {};
    this.part('rows-field').hidden = !options.includes('rows');
    this.part('pair-field').hidden = keys.length < 2;
    const [list, before] = [this.part('pair'), this.part('pair').value];
    list.replaceChildren(...keys.map((key) => new Option(key, key, false, key === before)));
    this.form.querySelector('button').disabled = !this.chosen;
  }

  // The entries of a selection of rows.
  static rows(text) {
    if (!/^\s*([01][\s,]*)*$/.test(text)) throw new Error('rows: allowed are zeros and ones, such as 1,0');
    return [...text].filter((letter) => letter === '0' || letter === '1').map(Number);
  }

  get request() {
    const { job, options } = this.chosen;
    const rows = options.includes('rows') ? Asking.rows(this.part('rows').value) : [];
    return { job, key: this.part('pair').value, ...(rows.length && { rows }), ...(this.part('again').checked && { again: true }) };
  }

  async submit() {
    const [said, button] = [this.part('asked'), this.form.querySelector('button')];
    button.disabled = true;
    try {
      said.textContent = `Job ${await this.send(this.request)} is asked for.`;
      said.className = 'good';
    } catch (error) {
      said.textContent = error.message;
      said.className = 'bad';
    }
    button.disabled = false;
  }
}
