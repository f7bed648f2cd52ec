/* Starts an application of ESP-IDF as a process. */
void app_main(void);

int main(void) {
    app_main();
    return 0;
}
